// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const green = `
{"Action":"start","Package":"github.com/smartxworks/terraform-provider-elf/internal/a"}
{"Action":"run","Package":"github.com/smartxworks/terraform-provider-elf/internal/a","Test":"TestOne"}
{"Action":"output","Package":"github.com/smartxworks/terraform-provider-elf/internal/a","Test":"TestOne","Output":"--- PASS: TestOne (0.00s)\n"}
{"Action":"pass","Package":"github.com/smartxworks/terraform-provider-elf/internal/a","Test":"TestOne/sub"}
{"Action":"pass","Package":"github.com/smartxworks/terraform-provider-elf/internal/a","Test":"TestOne"}
{"Action":"pass","Package":"github.com/smartxworks/terraform-provider-elf/internal/a"}
{"Action":"skip","Package":"github.com/smartxworks/terraform-provider-elf/internal/without"}
`

const skips = `
{"Action":"output","Package":"p","Test":"TestOld","Output":"=== RUN   TestOld\n"}
{"Action":"output","Package":"p","Test":"TestNew","Output":"=== RUN   TestNew\n"}
{"Action":"output","Package":"p","Test":"TestNew","Output":"    new_test.go:7: something else first\n"}
{"Action":"output","Package":"p","Test":"TestOld","Output":"    old_test.go:12: the CLI is\n"}
{"Action":"output","Package":"p","Test":"TestNew","Output":"    new_test.go:9: Chromium is not on PATH\n"}
{"Action":"output","Package":"p","Test":"TestOld","Output":"        too old\n"}
{"Action":"output","Package":"p","Test":"TestOld","Output":"--- SKIP: TestOld (0.00s)\n"}
{"Action":"output","Package":"p","Test":"TestNew","Output":"--- SKIP: TestNew (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestOld"}
{"Action":"skip","Package":"p","Test":"TestNew"}
{"Action":"output","Package":"p","Test":"TestAnother/sub","Output":"    new_test.go:90: Chromium is not on PATH\n"}
{"Action":"skip","Package":"p","Test":"TestAnother/sub"}
{"Action":"skip","Package":"p","Test":"TestMute"}
{"Action":"pass","Package":"p","Test":"TestAnother"}
`

const failures = `
{"Action":"fail","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
{"ImportPath":"q","Action":"build-output","Output":"syntax error\n"}
{"Action":"fail","Package":"q"}
`

// report runs the command on files with the given contents and returns its output
// and error.
func report(t *testing.T, targets []string, contents ...string) (string, string) {
	t.Helper()
	var files []string
	for i, content := range contents {
		path := filepath.Join(t.TempDir(), string(rune('a'+i))+".json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	var out bytes.Buffer
	if err := run(targets, files, &out); err != nil {
		return out.String(), err.Error()
	}
	return out.String(), ""
}

func TestReport_sumsUpAllFiles(t *testing.T) {
	got, err := report(t, nil, green, green)
	if want := "\n4 passed, 0 failed, 0 skipped\n"; got != want || err != "" {
		t.Errorf("got %q and the error %q, want %q", got, err, want)
	}
}

func TestReport_listsSkipsByReason(t *testing.T) {
	got, err := report(t, nil, skips)
	want := `
Skipped:
  Chromium is not on PATH
    p TestAnother/sub
    p TestNew
  no reason given
    p TestMute
  the CLI is too old
    p TestOld

1 passed, 0 failed, 4 skipped
`
	if got != want || err != "" {
		t.Errorf("got %s and the error %q, want %s", got, err, want)
	}
}

func TestReport_namesWhatFailed(t *testing.T) {
	got, err := report(t, []string{"lint", "test-pure"}, green, failures)
	want := `
Failed:
  make lint
  make test-pure
  p TestA
  p TestB
  q

2 passed, 3 failed, 0 skipped
`
	if got != want || err != "failed: make lint test-pure\n3 tests failed" {
		t.Errorf("got %s and the error %q, want %s", got, err, want)
	}
}

func TestReport_failsWhereATargetFails(t *testing.T) {
	if got, err := report(t, []string{"lint"}, green); !strings.Contains(got, "Failed:\n  make lint\n\n2 passed, 0 failed") || err != "failed: make lint" {
		t.Errorf("got %s and the error %q", got, err)
	}
}

func TestReport_failsWhereNoTestRan(t *testing.T) {
	for name, content := range map[string]string{"empty file": "", "no test": `{"Action":"skip","Package":"p"}`} {
		if _, err := report(t, nil, green, content); !strings.Contains(err, "b.json has the result of no test") {
			t.Errorf("%s: the error is %q", name, err)
		}
	}
}

func TestReport_failsWhereAFileIsMissing(t *testing.T) {
	var out bytes.Buffer
	err := run(nil, []string{filepath.Join(t.TempDir(), "none.json")}, &out)
	if err == nil || !strings.Contains(err.Error(), "no tests were run: open ") {
		t.Errorf("the error is %v", err)
	}
}

func TestReport_failsWhereAFileIsCutShort(t *testing.T) {
	if _, err := report(t, nil, green+`{"Action":"pa`); !strings.Contains(err, "read what the tests printed: ") {
		t.Errorf("the error is %q", err)
	}
}

// SPDX-License-Identifier: MPL-2.0

// Package maketest tests that the GNUmakefile and its scripts say at once what a
// machine lacks, and run all checks even if one fails.
package maketest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest/need"
)

// workingGo is a stand-in for Go that does nothing but satisfies make. It records
// its calls and fails at the subcommand FAIL. It is too old for modules that
// TOO_OLD_IN matches.
const workingGo = `
if [ "$1" = -C ] && [ "$3" = list ]; then
  case $2 in $TOO_OLD_IN) echo "go: go.mod requires go >= 9" >&2; exit 1 ;; esac
  exit 0
fi
if [ "$1" = env ]; then
  if [ "$2" = CC ]; then echo "$CC"; else echo "${CGO_ENABLED:-0}"; fi
  exit 0
fi
echo "$*" >>"$CALLS"
[ "$1" != "$FAIL" ]
`

// machine is a PATH with some programs, on which make runs.
type machine struct {
	t         *testing.T
	make, bin string
	calls     string // the file in which Go records its calls
}

// newMachine returns a machine that has the base tools, git, Terraform and Go.
func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, make: need.Program(t, "gmake", "make"), bin: t.TempDir(), calls: filepath.Join(t.TempDir(), "calls")}
	for _, name := range []string{"sh", "sed", "cat", "env", "grep", "mkdir", "rm"} {
		m.link(name, need.Program(t, name))
	}
	m.link("make", m.make)
	m.script("git", "")
	m.script("terraform", "")
	m.script("go", workingGo)
	return m
}

func (m *machine) link(name, path string) {
	m.t.Helper()
	if err := os.Symlink(path, filepath.Join(m.bin, name)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) script(name, text string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.bin, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) lose(name string) {
	m.t.Helper()
	if err := os.Remove(filepath.Join(m.bin, name)); err != nil {
		m.t.Fatal(err)
	}
}

// run runs make in the project's folder, with a cache of its own. It returns the
// output of make and the calls of Go.
func (m *machine) run(variables []string, args ...string) (output, calls string, err error) {
	m.t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		m.t.Fatal(err)
	}
	// Go's test cache knows only the files that the test itself looks at, not those that make reads.
	for _, name := range []string{"GNUmakefile", "go.mod", "tools/needs"} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			m.t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(m.t.Context(), m.make, append(args, "CACHE="+m.t.TempDir())...)
	cmd.Dir = root
	// The variables of an outer make must not reach the inner one.
	cmd.Env = append([]string{"PATH=" + m.bin, "HOME=" + m.t.TempDir(), "CALLS=" + m.calls}, variables...)
	printed, err := cmd.CombinedOutput()
	asked, readErr := os.ReadFile(m.calls)
	if readErr != nil && !os.IsNotExist(readErr) {
		m.t.Fatal(readErr)
	}
	return string(printed), string(asked), err
}

func TestMissingPiecesAreSaidInOneLine(t *testing.T) {
	for name, c := range map[string]struct {
		lost      string // a program that the machine lacks
		variables []string
		want      string
	}{
		"no Go":                                  {"go", nil, "or newer is needed: 'go' is not on PATH"},
		"old Go":                                 {"", []string{"TOO_OLD_IN=."}, "or newer is needed: go: go.mod requires go >= 9"},
		"no git":                                 {"git", nil, "git is needed"},
		"no C library":                           {"", []string{"CGO_ENABLED=1", "CC=false -x"}, "The C compiler 'false -x' does not work"},
		"no such CLI":                            {"", []string{"TF_ACC_TERRAFORM_PATH=/nowhere/tofu"}, "there is no program '/nowhere/tofu'"},
		"no CLI, and Go is too old to build one": {"terraform", []string{"TOO_OLD_IN=tools/tofu"}, "Install terraform or tofu: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			if c.lost != "" {
				m.lose(c.lost)
			}
			output, calls, err := m.run(c.variables, "demo")
			if err == nil || strings.Count(output, "\n") != 1 || !strings.Contains(output, c.want) {
				t.Errorf("it ended with %v and said %s, want one line with %q", err, output, c.want)
			}
			if calls != "" {
				t.Errorf("Go was asked for %s", calls)
			}
		})
	}
}

func TestReadmeNamesTheVersionOfGo(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for path, pattern := range map[string]string{
		"../../go.mod":            `(?m)^go (\d+\.\d+)`,
		"../../tools/tofu/go.mod": `(?m)^go (\d+\.\d+\.\d+)$`,
	} {
		module, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		version := regexp.MustCompile(pattern).FindSubmatch(module)
		if version == nil {
			t.Fatalf("%s names no version", path)
		}
		if want := fmt.Sprintf("Go %s", version[1]); !bytes.Contains(readme, []byte(want)) {
			t.Errorf("the README does not say %q", want)
		}
	}
}

func TestNothingIsMissing(t *testing.T) {
	t.Parallel()
	output, calls, err := newMachine(t).run(nil, "vet")
	if err != nil || calls != "vet ./...\n" {
		t.Errorf("it ended with %v, said %s and asked Go for %s", err, output, calls)
	}
}

func TestAllChecksRunWhateverFails(t *testing.T) {
	t.Parallel()
	output, calls, err := newMachine(t).run([]string{"FAIL=vet"}, "test", "CHECKS=vet build", "ALSO=vet")
	want := "vet ./...\n" +
		"build -ldflags -X main.version=0.0.1 -o bin/ . ./cmd/towersim\n" +
		"vet ./...\n" +
		"run ./internal/testreport -failed vet\nvet\n"
	if err != nil || calls != want {
		t.Errorf("it ended with %v, said %s and asked Go for %s, want %s", err, output, calls, want)
	}
}

func TestRecordedTrafficIsMadeOnce(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"conformance"}, {"test-sdk", "conformance"}, {"test"}} {
		output, _, err := newMachine(t).run(nil, append(args, "-n")...)
		if runs := strings.Count(output, "test-sdk.json -- "); err != nil || runs != 1 {
			t.Errorf("make %v runs test-sdk %d times, and ends with %v: %s", args, runs, err, output)
		}
	}
}

// SPDX-License-Identifier: MPL-2.0

package need_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest/need"
)

// recorder is a test that records why it is skipped.
type recorder struct {
	testing.TB

	reason string
}

func (r *recorder) Helper() {}

func (r *recorder) Skipf(format string, args ...any) {
	r.reason = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// look calls [need.Program] as a test does, and returns the path or the reason for
// the skip.
func look(t *testing.T, names ...string) (path, reason string) {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		path = need.Program(r, names...)
	}()
	<-done
	return path, r.reason
}

func TestProgram_firstThatIsThere(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"second", "third"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	path, reason := look(t, "first", "second", "third")
	if path != filepath.Join(dir, "second") || reason != "" {
		t.Errorf("got %q, skipped because %q", path, reason)
	}
}

func TestProgram_skipsWithTheReason(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for want, names := range map[string][]string{
		"first is not on PATH":             {"first"},
		"none of first, second is on PATH": {"first", "second"},
	} {
		if path, reason := look(t, names...); path != "" || reason != want {
			t.Errorf("%v: got %q, skipped because %q, want %q", names, path, reason, want)
		}
	}
}

// SPDX-License-Identifier: MPL-2.0

// Package need finds what a test needs and a machine may lack. It imports
// nothing but the standard library, so that any package's tests can use it.
package need

import (
	"os/exec"
	"strings"
	"testing"
)

// Program returns the path of the first of the named programs that is on PATH.
// Where none of them is, it skips the test. Call it before anything else, so
// that a test either runs whole or is skipped whole.
func Program(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if len(names) == 1 {
		t.Skipf("%s is not on PATH", names[0])
	}
	t.Skipf("none of %s is on PATH", strings.Join(names, ", "))
	return ""
}

// SPDX-License-Identifier: MPL-2.0

// Package need finds programs that a test needs and a machine may lack. It imports
// only the standard library, so that the tests of any package can use it.
package need

import (
	"os/exec"
	"strings"
	"testing"
)

// Program returns the path of the first of the named programs that is on PATH. It
// skips the test if none of them is. A test calls it before anything else, so that
// the test runs or is skipped as a whole.
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

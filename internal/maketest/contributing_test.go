// SPDX-License-Identifier: MPL-2.0

package maketest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestContributing_pathsExist checks that the files and packages that
// CONTRIBUTING.md names are there.
func TestContributing_pathsExist(t *testing.T) {
	t.Parallel()
	const root = "../.."
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	paths := regexp.MustCompile("`((?:internal|cmd|tools|examples|docs|templates)/[^`<>*…]*)`").FindAllStringSubmatch(string(page), -1)
	if len(paths) < 20 {
		t.Fatalf("only %d paths found: the page or the pattern has changed", len(paths))
	}
	for _, path := range paths {
		if _, err := os.Stat(filepath.Join(root, path[1])); err != nil {
			t.Errorf("CONTRIBUTING.md names %s: %v", path[1], err)
		}
	}
}

// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// version is a Tower release.
type version struct{ major, minor, patch int }

var (
	oldestVersion = version{2, 8, 0}
	newestVersion = version{4, 8, 99}
)

// parseVersion parses a release such as 4.6.0 or 4.6 that can be simulated.
func parseVersion(text string) (version, error) {
	parts := strings.Split(text, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return version{}, fmt.Errorf("must be a release such as 4.6.0, not %q", text)
	}

	numbers := make([]int, 3)

	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return version{}, fmt.Errorf("must be a release such as 4.6.0, not %q", text)
		}

		numbers[i] = n
	}

	v := version{numbers[0], numbers[1], numbers[2]}
	if v.compare(oldestVersion) < 0 || v.compare(newestVersion) > 0 {
		return version{}, fmt.Errorf("must be 2.8.0 to 4.8.0, not %q", text)
	}

	return v, nil
}

// String returns the release as three numbers.
func (v version) String() string {
	return fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch)
}

func (v version) compare(other version) int {
	return cmp.Or(cmp.Compare(v.major, other.major), cmp.Compare(v.minor, other.minor), cmp.Compare(v.patch, other.patch))
}

// atLeast reports whether the release is major.minor or later.
func (v version) atLeast(major, minor int) bool {
	return v.compare(version{major, minor, 0}) >= 0
}

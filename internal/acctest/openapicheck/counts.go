// SPDX-License-Identifier: MPL-2.0

package openapicheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Attribute is the key of the test attribute with which a test reports how many
// exchanges it compared, in the format of [FormatCounts].
const Attribute = "openapi-exchanges"

// FormatCounts formats the number of exchanges of each operation, such as
// "get-vms=12 start-vm=1".
func FormatCounts(counts map[string]int) string {
	var parts []string
	for _, path := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s=%d", strings.TrimPrefix(path, "/"), counts[path]))
	}
	return strings.Join(parts, " ")
}

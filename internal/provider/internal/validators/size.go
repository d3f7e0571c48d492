// SPDX-License-Identifier: MPL-2.0

package validators

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// SizeAtMost accepts a text of at most limit bytes, however many characters
// they make. The text itself is kept out of the diagnostic.
func SizeAtMost(limit int) validator.String {
	return stringCheck{
		summary:     "Text too long",
		description: fmt.Sprintf("must have at most %s", bytes(limit)),
		hide:        func(string) bool { return true },
		check: func(value string) string {
			if len(value) <= limit {
				return ""
			}
			return fmt.Sprintf("the text has %d bytes", len(value))
		},
	}
}

func bytes(n int) string {
	if n >= 1024 && n%1024 == 0 {
		return fmt.Sprintf("%d KiB (%d bytes)", n/1024, n)
	}
	return fmt.Sprintf("%d bytes", n)
}

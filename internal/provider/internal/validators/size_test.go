// SPDX-License-Identifier: MPL-2.0

package validators_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/validators"
)

func TestSizeAtMost(t *testing.T) {
	t.Parallel()
	runStringCases(t, validators.SizeAtMost(1024), map[string]stringCase{
		"empty": valid(""),
		"limit": valid(strings.Repeat("x", 1024)),
		"above": {
			value:   types.StringValue(strings.Repeat("x", 1025)),
			summary: "Text too long",
			detail:  "attribute: the text has 1025 bytes. It must have at most 1 KiB (1024 bytes).",
		},
		// 400 characters of three bytes each.
		"bytes, not characters": {
			value:   types.StringValue(strings.Repeat("网", 400)),
			summary: "Text too long",
			detail:  "attribute: the text has 1200 bytes. It must have at most 1 KiB (1024 bytes).",
		},
	})
}

func TestSizeAtMost_oddLimit(t *testing.T) {
	t.Parallel()
	runStringCases(t, validators.SizeAtMost(10), map[string]stringCase{
		"limit": valid("0123456789"),
		"above": {
			value:   types.StringValue("0123456789a"),
			summary: "Text too long",
			detail:  "attribute: the text has 11 bytes. It must have at most 10 bytes.",
		},
	})
}

// SPDX-License-Identifier: MPL-2.0

package validators_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/validators"
)

func TestDurationBetween(t *testing.T) {
	t.Parallel()
	invalid := func(s, problem string) stringCase {
		return stringCase{
			value:   types.StringValue(s),
			summary: "Invalid duration",
			detail: `attribute is "` + s + `": ` + problem +
				`. It must be a duration such as "30s" or "1m30s", from 100ms to 1m.`,
		}
	}
	runStringCases(t, validators.DurationBetween(100*time.Millisecond, time.Minute), map[string]stringCase{
		"shortest":  valid("100ms"),
		"between":   valid("5s"),
		"longest":   valid("60s"),
		"compound":  valid("0m30s"),
		"too short": invalid("99ms", "that is shorter than 100ms"),
		"zero":      invalid("0s", "that is shorter than 100ms"),
		"too long":  invalid("61s", "that is longer than 1m"),
		"negative":  invalid("-5s", "a duration can't be negative"),
		"no unit":   invalid("5", "that is not a duration"),
		"word":      invalid("soon", "that is not a duration"),
		"empty":     invalid("", "that is not a duration"),
	})
}

func TestDuration(t *testing.T) {
	t.Parallel()
	invalid := func(s, problem string) stringCase {
		return stringCase{
			value:   types.StringValue(s),
			summary: "Invalid duration",
			detail:  `attribute is "` + s + `": ` + problem + `. It must be a duration such as "30s" or "1m30s", longer than 0s.`,
		}
	}
	runStringCases(t, validators.Duration(), map[string]stringCase{
		"short":    valid("1ms"),
		"long":     valid("48h"),
		"zero":     invalid("0m", "a duration of zero is not allowed"),
		"negative": invalid("-1h", "a duration can't be negative"),
		"word":     invalid("soon", "that is not a duration"),
		"no unit":  invalid("30", "that is not a duration"),
	})
}

func TestDurationAtLeast(t *testing.T) {
	t.Parallel()
	invalid := func(s, problem string) stringCase {
		return stringCase{
			value:   types.StringValue(s),
			summary: "Invalid duration",
			detail:  `attribute is "` + s + `": ` + problem + `. It must be a duration such as "30s" or "1m30s", at least 1s.`,
		}
	}
	runStringCases(t, validators.DurationAtLeast(time.Second), map[string]stringCase{
		"least":     valid("1s"),
		"long":      valid("48h"),
		"too short": invalid("999ms", "that is shorter than 1s"),
		"negative":  invalid("-1h", "a duration can't be negative"),
		"word":      invalid("soon", "that is not a duration"),
	})
}

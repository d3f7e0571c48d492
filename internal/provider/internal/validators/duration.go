// SPDX-License-Identifier: MPL-2.0

package validators

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// DurationBetween accepts a duration in Go's notation ("30s", "1m30s") from
// shortest to longest.
func DurationBetween(shortest, longest time.Duration) validator.String {
	return stringCheck{
		summary:     "Invalid duration",
		description: fmt.Sprintf(`must be a duration such as "30s" or "1m30s", from %s to %s`, format(shortest), format(longest)),
		check: func(value string) string {
			if problem := durationAtLeast(value, shortest); problem != "" {
				return problem
			}
			if d, err := time.ParseDuration(value); err == nil && d > longest {
				return "that is longer than " + format(longest)
			}
			return ""
		},
	}
}

// DurationAtLeast accepts a duration in Go's notation ("30s", "1m30s") that is
// not shorter than shortest.
func DurationAtLeast(shortest time.Duration) validator.String {
	return stringCheck{
		summary:     "Invalid duration",
		description: fmt.Sprintf(`must be a duration such as "30s" or "1m30s", at least %s`, format(shortest)),
		check:       func(value string) string { return durationAtLeast(value, shortest) },
	}
}

// Duration accepts a duration in Go's notation ("30s", "1m30s") that is longer
// than zero.
func Duration() validator.String {
	return stringCheck{
		summary:     "Invalid duration",
		description: `must be a duration such as "30s" or "1m30s", longer than 0s`,
		check: func(value string) string {
			if d, err := time.ParseDuration(value); err == nil && d == 0 {
				return "a duration of zero is not allowed"
			}
			return durationAtLeast(value, 0)
		},
	}
}

func durationAtLeast(value string, shortest time.Duration) string {
	d, err := time.ParseDuration(value)
	switch {
	case err != nil:
		return "that is not a duration"
	case d < 0:
		return "a duration can't be negative"
	case d < shortest:
		return "that is shorter than " + format(shortest)
	}
	return ""
}

// format formats a duration without the zero units that time.Duration.String
// appends: 1m, not 1m0s.
func format(d time.Duration) string {
	switch {
	case d >= time.Hour && d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d >= time.Minute && d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}

// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"
)

// Delay is a span of simulated time, or [Never].
type Delay time.Duration

// Never is the delay of something that does not happen. A scenario writes it as
// "never".
const Never Delay = -1

// After returns a pointer to d as a delay, for the optional delays of a
// scenario in Go.
func After(d time.Duration) *Delay {
	delay := Delay(d)

	return &delay
}

// NeverHappens returns a pointer to [Never].
func NeverHappens() *Delay {
	delay := Never

	return &delay
}

// String returns the delay as a scenario writes it.
func (d Delay) String() string {
	if d == Never {
		return "never"
	}

	return time.Duration(d).String()
}

func (d *Delay) fromNode(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Value == "never" {
		*d = Never

		return nil
	}

	span, err := durationOf(n)
	if err != nil {
		return err
	}

	*d = Delay(span)

	return nil
}

// maxDuration is the longest duration that is accepted, so that sums of
// durations do not overflow.
const maxDuration = 50 * 365 * 24 * time.Hour

// durationOf parses a duration such as "2s" or "1m30s". A bare 0 is accepted;
// any other number needs a unit.
func durationOf(n *yaml.Node) (time.Duration, error) {
	if n.Kind != yaml.ScalarNode {
		return 0, fmt.Errorf("must be a duration such as 20s, not %s", kindName(n))
	}

	span, err := time.ParseDuration(n.Value)
	if err != nil {
		return 0, fmt.Errorf("must be a duration such as 20s or 1m30s, not %q", n.Value)
	}

	if span < 0 {
		return 0, fmt.Errorf("must not be negative, but is %s", n.Value)
	}

	if span > maxDuration {
		return 0, fmt.Errorf("must not be more than %s, but is %s", maxDuration, n.Value)
	}

	return span, nil
}

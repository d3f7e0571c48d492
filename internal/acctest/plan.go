// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
)

// manyAtOnce lets a configuration of many resources use what there is.
const manyAtOnce = "-parallelism=100"

// Plan is what a plan of the whole configuration says, by the addresses of the
// resources.
type Plan struct {
	// Actions are create, update, replace, delete and the like; a resource that
	// stays as it is has none.
	Actions map[string]string
	// Warnings and Errors are summaries and details, each with the line of the
	// configuration that it points at. What concerns no resource is under "".
	Warnings, Errors map[string][]string
	// Output is what the CLI printed.
	Output string
}

// Plan runs a plan, which may fail.
func (c *CLI) Plan(args ...string) Plan {
	c.t.Helper()
	return c.report(append([]string{"plan", "-json", manyAtOnce}, args...))
}

// TryApply applies the configuration, or the plan of a file, and may fail.
func (c *CLI) TryApply(args ...string) Plan {
	c.t.Helper()
	return c.report(append([]string{"apply", "-auto-approve", "-json", manyAtOnce}, args...))
}

// Apply is TryApply that must succeed.
func (c *CLI) Apply(args ...string) Plan {
	c.t.Helper()
	applied := c.TryApply(args...)
	for address, errors := range applied.Errors {
		c.t.Errorf("applying %s: %q", address, errors)
	}
	if len(applied.Errors) > 0 {
		c.t.FailNow()
	}
	return applied
}

// report runs a command that says as JSON what it plans and finds.
func (c *CLI) report(args []string) Plan {
	c.t.Helper()
	output, _ := c.Start(args...).Wait()
	plan := Plan{Actions: map[string]string{}, Warnings: map[string][]string{}, Errors: map[string][]string{}, Output: output}
	lines := bufio.NewScanner(strings.NewReader(output))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Type   string `json:"type"`
			Change struct {
				Resource struct {
					Address string `json:"addr"`
				} `json:"resource"`
				Action string `json:"action"`
			} `json:"change"`
			Diagnostic struct {
				Severity string `json:"severity"`
				Summary  string `json:"summary"`
				Detail   string `json:"detail"`
				Address  string `json:"address"`
				Snippet  struct {
					Code string `json:"code"`
				} `json:"snippet"`
			} `json:"diagnostic"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			c.t.Fatalf("the plan says %q: %v", lines.Text(), err)
		}
		found := line.Diagnostic
		text := fmt.Sprintf("%s: %s\n%s", found.Summary, found.Detail, found.Snippet.Code)
		switch {
		case line.Type == "planned_change":
			plan.Actions[line.Change.Resource.Address] = line.Change.Action
		case line.Type == "diagnostic" && found.Severity == "warning":
			plan.Warnings[found.Address] = append(plan.Warnings[found.Address], text)
		case line.Type == "diagnostic":
			plan.Errors[found.Address] = append(plan.Errors[found.Address], text)
		}
	}
	if err := lines.Err(); err != nil {
		c.t.Fatal(err)
	}
	return plan
}

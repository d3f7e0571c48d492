// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
)

// highParallelism lets Terraform work on many resources at a time.
const highParallelism = "-parallelism=100"

// Plan is the output of a plan or an apply, by the addresses of the resources.
type Plan struct {
	// Actions are create, update, replace, delete and the like. A resource that
	// does not change has none.
	Actions map[string]string
	// Warnings and Errors are summaries and details, each with the line of the
	// configuration that it points at. Those that concern no resource are under "".
	Warnings, Errors map[string][]string
	// Output is the whole output of the CLI.
	Output string
}

// Plan runs a plan, which may fail.
func (c *CLI) Plan(args ...string) Plan {
	c.t.Helper()
	return c.runJSON(append([]string{"plan", "-json", highParallelism}, args...))
}

// TryApply applies the configuration, or the plan in a file. It may fail.
func (c *CLI) TryApply(args ...string) Plan {
	c.t.Helper()
	return c.runJSON(append([]string{"apply", "-auto-approve", "-json", highParallelism}, args...))
}

// Apply is a TryApply that must succeed.
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

// runJSON runs a command that prints its planned changes and diagnostics as
// JSON.
func (c *CLI) runJSON(args []string) Plan {
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
			c.t.Fatalf("the CLI prints %q: %v", lines.Text(), err)
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

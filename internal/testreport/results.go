// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// modulePath begins the import paths of all packages of the project.
const modulePath = "github.com/smartxworks/terraform-provider-elf/"

// event is a line of `go test -json`.
type event struct {
	Action, Package, Test, Output string
}

// name returns the name of the event's test in the report, or that of the package if
// the event has no test.
func (e event) name() string {
	return strings.TrimSpace(strings.TrimPrefix(e.Package, modulePath) + " " + e.Test)
}

// results are the results of several test runs.
type results struct {
	passed int
	// failed has the names of failed tests, and of packages that failed without a failed test because they did not
	// compile or panicked.
	failed []string
	// skipped has the names of skipped tests, by the reason for the skip.
	skipped map[string][]string
}

// readFile adds the results in a file. A file without a test is an error, because
// the tests did not start.
func (r *results) readFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("no tests were run: %w", err)
	}
	defer file.Close()
	tests, err := r.read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if tests == 0 {
		return fmt.Errorf("%s has the result of no test", path)
	}
	return nil
}

// read adds the results in events and returns the number of tests that ended.
func (r *results) read(events io.Reader) (int, error) {
	output := map[event]string{} // by package and test
	blamed := map[string]bool{}  // packages that have a failed test
	tests := 0
	for decoder := json.NewDecoder(events); ; {
		var e event
		if err := decoder.Decode(&e); errors.Is(err, io.EOF) {
			return tests, nil
		} else if err != nil {
			return tests, fmt.Errorf("read what the tests printed: %w", err)
		}
		key := event{Package: e.Package, Test: e.Test}
		switch e.Action {
		case "output":
			output[key] += e.Output
			continue
		case "pass", "fail", "skip":
		default:
			continue
		}
		if e.Test == "" {
			if e.Action == "fail" && !blamed[e.Package] {
				r.failed = append(r.failed, e.name())
			}
			continue
		}
		tests++
		switch e.Action {
		case "pass":
			r.passed++
		case "fail":
			blamed[e.Package] = true
			r.failed = append(r.failed, e.name())
		case "skip":
			if r.skipped == nil {
				r.skipped = map[string][]string{}
			}
			why := reason(output[key])
			r.skipped[why] = append(r.skipped[why], e.name())
		}
		delete(output, key)
	}
}

// logged matches the first line of a test's log entry.
var logged = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)$`)

// reason returns the last log entry in the output of a skipped test.
func reason(output string) string {
	var last []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\n")
		text := strings.TrimSpace(line)
		switch match := logged.FindStringSubmatch(line); {
		case match != nil:
			last = []string{match[1]}
		case text == "", strings.HasPrefix(text, "=== "), strings.HasPrefix(text, "--- "):
		case len(last) > 0 && line != text: // further lines are indented
			last = append(last, text)
		}
	}
	if len(last) == 0 {
		return "no reason given"
	}
	return strings.Join(last, " ")
}

// print writes the report.
func (r *results) print(targets []string, out io.Writer) {
	count := 0
	for _, tests := range r.skipped {
		count += len(tests)
	}
	if count > 0 {
		fmt.Fprintln(out, "\nSkipped:")
	}
	for _, why := range slices.Sorted(maps.Keys(r.skipped)) {
		fmt.Fprintf(out, "  %s\n", why)
		for _, test := range slices.Sorted(slices.Values(r.skipped[why])) {
			fmt.Fprintf(out, "    %s\n", test)
		}
	}
	if len(targets)+len(r.failed) > 0 {
		fmt.Fprintln(out, "\nFailed:")
	}
	for _, target := range targets {
		fmt.Fprintf(out, "  make %s\n", target)
	}
	for _, test := range slices.Sorted(slices.Values(r.failed)) {
		fmt.Fprintf(out, "  %s\n", test)
	}
	fmt.Fprintf(out, "\n%d passed, %d failed, %d skipped\n", r.passed, len(r.failed), count)
}

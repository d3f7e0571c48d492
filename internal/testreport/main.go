// SPDX-License-Identifier: MPL-2.0

// Command testreport sums up the test runs of `make test`: which tests were
// skipped and why, what failed, and how many tests there were. It reads the output
// of `go test -json`.
//
// The last line is "N passed, N failed, N skipped", subtests included.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	targets := flag.String("failed", "", "`names` of the make targets that failed, separated by spaces")
	flag.Parse()

	if err := run(strings.Fields(*targets), flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
}

// run prints the report on the files. It returns an error if a file has no test, or
// if a test or a target failed.
func run(targets, files []string, out io.Writer) error {
	var (
		all      results
		problems []error
	)
	for _, path := range files {
		if err := all.readFile(path); err != nil {
			problems = append(problems, err)
		}
	}
	all.print(targets, out)
	if len(targets) > 0 {
		problems = append(problems, fmt.Errorf("failed: make %s", strings.Join(targets, " ")))
	}
	if len(all.failed) > 0 {
		problems = append(problems, fmt.Errorf("%d tests failed", len(all.failed)))
	}
	return errors.Join(problems...)
}

// SPDX-License-Identifier: MPL-2.0

// Command conformance compares the simulated Tower with the vendor's work. It
// runs the integration suite of the vendor's SDK against the simulator,
// compares the suite's requests and replies with the vendor's OpenAPI document
// if ELF_TEST_OPENAPI names it, and adds up the comparisons of the acceptance
// tests.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(start())
}

// start parses the command line and returns the exit status.
func start() int {
	suite := flag.String("suite", "", "`path` of the integration suite's test binary")
	acceptance := flag.String("acceptance", "", "`file` with the output of the acceptance tests, as go test -json writes it")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	if err := run(ctx, *suite, *acceptance, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		return 1
	}
	return 0
}

// run does what the command line requests.
func run(ctx context.Context, suite, acceptance string, out io.Writer) error {
	if suite == "" && acceptance == "" {
		return errors.New("nothing to do: give -suite, -acceptance or both")
	}
	var problems []error
	if suite != "" {
		if err := runSuite(ctx, suite, out); err != nil {
			problems = append(problems, fmt.Errorf("the SDK's integration suite: %w", err))
		}
	}
	if acceptance != "" {
		if err := reportAcceptance(acceptance, out); err != nil {
			problems = append(problems, fmt.Errorf("the acceptance tests: %w", err))
		}
	}
	return errors.Join(problems...)
}

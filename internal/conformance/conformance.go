// SPDX-License-Identifier: MPL-2.0

// Command conformance holds the simulated Tower against what the vendor made:
// it runs the integration suite of the vendor's SDK against it, compares all of
// the suite's traffic with the vendor's OpenAPI document where
// ELF_TEST_OPENAPI names that, and adds up the comparisons that the acceptance
// tests made.
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

// start reads the command line and returns the exit status.
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

// run does what the command line asks for.
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

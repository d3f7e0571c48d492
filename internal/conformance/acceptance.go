// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest/openapicheck"
)

// event is a line of `go test -json`.
type event struct {
	Action, Package, Test, Key, Value string
}

// reportAcceptance prints how many exchanges the acceptance tests have compared
// with the OpenAPI document. It returns an error if tests failed, or if there
// is a document and nothing was compared.
func reportAcceptance(path string, out io.Writer) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read the output of the tests: %w", err)
	}
	defer file.Close()
	sum, err := sumEvents(file)
	if err != nil {
		return err
	}
	if sum.failed > 0 {
		return fmt.Errorf("%d tests failed", sum.failed)
	}
	if os.Getenv(openapicheck.EnvDocument) == "" {
		fmt.Fprintf(out, "OpenAPI, acceptance tests: %d passed; not compared, since %s does not name the vendor's document\n",
			sum.passed, openapicheck.EnvDocument)
		return nil
	}
	fmt.Fprintf(out, "OpenAPI, acceptance tests: %d exchanges on %d operations compared, in %d simulated Towers of %d tests\n",
		sum.exchanges, len(sum.operations), sum.towers, sum.passed)
	if sum.exchanges == 0 {
		return errors.New("no exchange was compared")
	}
	return nil
}

// summary is the result of a test run.
type summary struct {
	passed, failed    int // without subtests
	towers, exchanges int
	operations        map[string]bool
}

func sumEvents(events io.Reader) (summary, error) {
	sum := summary{operations: map[string]bool{}}
	for decoder := json.NewDecoder(events); ; {
		var e event
		if err := decoder.Decode(&e); errors.Is(err, io.EOF) {
			return sum, nil
		} else if err != nil {
			return sum, fmt.Errorf("read the output of the tests: %w", err)
		}
		whole := e.Test != "" && !strings.Contains(e.Test, "/")
		switch {
		case e.Action == "attr" && e.Key == openapicheck.Attribute:
			if err := sum.add(e.Value); err != nil {
				return sum, fmt.Errorf("%s of %s: %w", e.Test, e.Package, err)
			}
		case e.Action == "pass" && whole:
			sum.passed++
		case e.Action == "fail" && (whole || e.Test == ""):
			sum.failed++
		}
	}
}

// add adds one attribute, as [openapicheck.FormatCounts] writes it.
func (s *summary) add(value string) error {
	s.towers++
	for _, part := range strings.Fields(value) {
		operation, number, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(number)
		if err != nil {
			return fmt.Errorf("%q is not a count", part)
		}
		s.exchanges += n
		s.operations[operation] = true
	}
	return nil
}

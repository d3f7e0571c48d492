// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest/openapicheck"
)

// spec is one spec of the suite, with the members of Ginkgo's report that are
// needed.
type spec struct {
	Containers []string `json:"ContainerHierarchyTexts"`
	Kind       string   `json:"LeafNodeType"`
	Text       string   `json:"LeafNodeText"`
	State      string   `json:"State"`
	Failure    struct {
		Message        string `json:"Message"`
		ForwardedPanic string `json:"ForwardedPanic"`
		Location       struct {
			FileName   string `json:"FileName"`
			LineNumber int    `json:"LineNumber"`
		} `json:"Location"`
	} `json:"Failure"`
}

func (s *spec) name() string {
	return strings.Join(append(slices.Clone(s.Containers), s.Text), " ")
}

// failureText describes why a spec failed, and where. Gomega's messages contain
// whole objects, so only their beginning is used.
func (s *spec) failureText() string {
	const enough = 400
	f := &s.Failure
	text := []rune(strings.Join(strings.Fields(f.Message+" "+f.ForwardedPanic), " "))
	if len(text) > enough {
		text = append(text[:enough], '…')
	}
	return fmt.Sprintf("%s (%s:%d)", string(text), filepath.Base(f.Location.FileName), f.Location.LineNumber)
}

// readReport reads a report of Ginkgo.
func readReport(path string) ([]spec, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("there is no report: %w", err)
	}
	var suites []struct {
		Specs []spec `json:"SpecReports"`
	}
	if err := json.Unmarshal(raw, &suites); err != nil {
		return nil, fmt.Errorf("read the report: %w", err)
	}
	var specs []spec
	for _, suite := range suites {
		specs = append(specs, suite.Specs...)
	}
	return specs, nil
}

// result is the result of a run.
type result struct {
	passed   int
	notes    []string
	problems []error
}

// checkSpecs checks the specs of a report. All of them must have passed, except
// the ones that are listed with a reason.
func checkSpecs(specs []spec) result {
	var v result
	missing := maps.Clone(pending)
	missing[brokenSpec] = brokenReason

	for i := range specs {
		s := &specs[i]
		if s.Kind != "It" { // the suite's set-up
			if s.State != "passed" {
				v.problems = append(v.problems, fmt.Errorf("%s %s: %s", s.Kind, s.State, s.failureText()))
			}
			continue
		}
		name := s.name()
		_, listed := missing[name]
		delete(missing, name)
		switch {
		case s.State == "passed":
			v.passed++
		case s.State == "pending" && pending[name] != "":
			v.notes = append(v.notes, fmt.Sprintf("  pending  %s: %s", name, pending[name]))
		case s.State == "skipped" && listed && name == brokenSpec: // runBroken reports it
		case s.State == "pending" || s.State == "skipped":
			v.problems = append(v.problems, fmt.Errorf("%s is %s, but is not listed", name, s.State))
		default:
			v.problems = append(v.problems, fmt.Errorf("%s %s: %s", name, s.State, s.failureText()))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		v.problems = append(v.problems, fmt.Errorf("%s is listed, but not in the suite", name))
	}
	if v.passed == 0 {
		v.problems = append(v.problems, errors.New("no spec passed"))
	}
	return v
}

func (v *result) print(out io.Writer, took time.Duration) {
	fmt.Fprintf(out, "SDK integration suite: %d specs passed, %d problems, in %s\n", v.passed, len(v.problems), took.Round(time.Second/10))
	for _, note := range v.notes {
		fmt.Fprintln(out, note)
	}
}

// reportDocument prints how much was compared with the OpenAPI document. It
// returns the violations that are not listed as deviations of the suite.
func reportDocument(check *openapicheck.Checker, out io.Writer) error {
	counts := check.Counts()
	total := 0
	for _, n := range counts {
		total += n
	}
	fmt.Fprintf(out, "OpenAPI, SDK integration suite: %d exchanges on %d operations compared\n", total, len(counts))

	var problems []error
	missing := maps.Clone(deviations)
	for _, violation := range check.Violations() {
		reason, listed := deviations[violation]
		if !listed {
			problems = append(problems, fmt.Errorf("violates the OpenAPI document: %s", violation))
			continue
		}
		delete(missing, violation)
		fmt.Fprintf(out, "  listed   %s (%s)\n", violation, reason)
	}
	for _, violation := range slices.Sorted(maps.Keys(missing)) {
		problems = append(problems, fmt.Errorf("listed as a deviation, but did not occur: %s", violation))
	}
	return errors.Join(problems...)
}

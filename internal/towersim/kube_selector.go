// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// labelSelector is a list of requirements. All of them must be met.
type labelSelector []labelRequirement

// labelRequirement requires that a label has one of some values or, if negated,
// none of them. With exists it requires that the label exists or, if negated,
// that it does not.
type labelRequirement struct {
	key     string
	values  []string
	exists  bool // values is not used
	negated bool
}

var (
	requirementOfSet   = regexp.MustCompile(`^(\S+)\s+(in|notin)\s*\(([^()]*)\)$`)
	requirementOfValue = regexp.MustCompile(`^([^=!\s]+)\s*(==|=|!=)\s*([^=!\s]*)$`)
	requirementOfKey   = regexp.MustCompile(`^(!?)\s*([^=!\s(),]+)$`)
	// A comma in parentheses separates values; any other comma separates
	// requirements.
	requirementEnd = regexp.MustCompile(`\([^()]*\)|,`)
)

// parseLabelSelector parses a selector as kubectl's option -l accepts it.
func parseLabelSelector(text string) (labelSelector, error) {
	var selector labelSelector

	for _, part := range splitRequirements(text) {
		part = strings.TrimSpace(part)

		switch {
		case part == "" && strings.TrimSpace(text) == "":
			return nil, nil
		case requirementOfSet.MatchString(part):
			m := requirementOfSet.FindStringSubmatch(part)
			values := mapSlice(strings.Split(m[3], ","), strings.TrimSpace)
			selector = append(selector, labelRequirement{key: m[1], values: values, negated: m[2] == "notin"})
		case requirementOfValue.MatchString(part):
			m := requirementOfValue.FindStringSubmatch(part)
			selector = append(selector, labelRequirement{key: m[1], values: []string{m[3]}, negated: m[2] == "!="})
		case requirementOfKey.MatchString(part):
			m := requirementOfKey.FindStringSubmatch(part)
			selector = append(selector, labelRequirement{key: m[2], exists: true, negated: m[1] == "!"})
		default:
			return nil, fmt.Errorf("unable to parse requirement: %q", part)
		}
	}

	return selector, nil
}

func splitRequirements(text string) []string {
	var parts []string

	start := 0

	for _, found := range requirementEnd.FindAllStringIndex(text, -1) {
		if text[found[0]] == ',' {
			parts = append(parts, text[start:found[0]])
			start = found[1]
		}
	}

	return append(parts, text[start:])
}

func (s labelSelector) selects(labels map[string]string) bool {
	return !slices.ContainsFunc(s, func(r labelRequirement) bool { return !r.holds(labels) })
}

func (r *labelRequirement) holds(labels map[string]string) bool {
	value, there := labels[r.key]
	if !r.exists {
		there = there && slices.Contains(r.values, value)
	}

	return there != r.negated
}

// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"regexp"
	"strings"
)

// Mentions returns a pattern for output of the CLI that has all the texts in
// this order. The CLI wraps lines, so any white space matches any other.
func Mentions(texts ...string) *regexp.Regexp {
	parts := make([]string, 0, len(texts))
	for _, text := range texts {
		words := strings.Fields(text)
		for i, word := range words {
			words[i] = regexp.QuoteMeta(word)
		}
		parts = append(parts, strings.Join(words, `\s+`))
	}
	return regexp.MustCompile(`(?s)` + strings.Join(parts, `.*`))
}

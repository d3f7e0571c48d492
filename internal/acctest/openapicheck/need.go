// SPDX-License-Identifier: MPL-2.0

package openapicheck

import (
	"os"
	"testing"
)

// NeedDocument returns the path of the document that [EnvDocument] names. Where
// it names none, it skips the test.
func NeedDocument(t testing.TB) string {
	t.Helper()
	path := os.Getenv(EnvDocument)
	if path == "" {
		t.Skipf("%s does not name the vendor's OpenAPI document", EnvDocument)
	}
	return path
}

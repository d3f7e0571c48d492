// SPDX-License-Identifier: MPL-2.0

package openapicheck

import (
	"os"
	"testing"
)

// NeedDocument returns the path of the document that [EnvDocument] names. It skips
// the test if the variable is not set.
func NeedDocument(t testing.TB) string {
	t.Helper()
	path := os.Getenv(EnvDocument)
	if path == "" {
		t.Skipf("%s is not set to the path of the vendor's OpenAPI document", EnvDocument)
	}
	return path
}

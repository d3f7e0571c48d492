// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest/openapicheck"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// documentedRelease begins the versions of Tower that the OpenAPI document
// describes.
const documentedRelease = "4.6."

// checker loads the document once for all tests, because that takes a while.
// The test that ends next reports the violations found.
var checker = sync.OnceValues(func() (*openapicheck.Checker, error) {
	return openapicheck.New(os.Getenv(openapicheck.EnvDocument))
})

var reported struct {
	sync.Mutex

	violations map[string]bool
}

// checkedURL returns the URL at which the test reaches the simulator. If
// ELF_TEST_OPENAPI names the vendor's document, a proxy listens there that
// compares each exchange with the document, and the test fails on what the
// document does not allow.
func checkedURL(t testing.TB, server *towersim.Server, scenario *towersim.Scenario) string {
	t.Helper()
	if os.Getenv(openapicheck.EnvDocument) == "" || !strings.HasPrefix(scenario.Version, documentedRelease) {
		return server.URL()
	}
	check, err := checker()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	exchanges := map[string]int{} // of this test alone; the shared checker counts those of all tests
	next := check.Middleware(server.Handler())
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if operation, ok := strings.CutPrefix(r.URL.Path, openapicheck.BasePath+"/"); ok {
			mu.Lock()
			exchanges[operation]++
			mu.Unlock()
		}
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		// Close waits for all requests, and a fault may let one hang.
		proxy.CloseClientConnections()
		proxy.Close()
		t.Attr(openapicheck.Attribute, openapicheck.FormatCounts(exchanges))
		for _, violation := range newViolations(check) {
			t.Errorf("the OpenAPI document does not allow this: %s", violation)
		}
	})
	return proxy.URL
}

// newViolations returns the violations that no test has reported yet.
func newViolations(check *openapicheck.Checker) []string {
	reported.Lock()
	defer reported.Unlock()
	if reported.violations == nil {
		reported.violations = map[string]bool{}
	}
	var fresh []string
	for _, violation := range check.Violations() {
		if !reported.violations[violation] {
			reported.violations[violation] = true
			fresh = append(fresh, violation)
		}
	}
	return fresh
}

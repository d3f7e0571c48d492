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

// documented is the Tower release that the OpenAPI document describes.
const documented = "4.6."

// checker reads the document, which takes a while, once for all tests. Its
// violations are told by the test that ends next.
var checker = sync.OnceValues(func() (*openapicheck.Checker, error) {
	return openapicheck.New(os.Getenv(openapicheck.EnvDocument))
})

var told struct {
	sync.Mutex

	violations map[string]bool
}

// checked returns the URL of the simulator. Where ELF_TEST_OPENAPI names the
// vendor's document, that is a front that compares each exchange with it, and
// the test fails on what the document does not allow.
func checked(t testing.TB, server *towersim.Server, scenario *towersim.Scenario) string {
	t.Helper()
	if os.Getenv(openapicheck.EnvDocument) == "" || !strings.HasPrefix(scenario.Version, documented) {
		return server.URL()
	}
	check, err := checker()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	exchanges := map[string]int{} // the checker, which all tests share, counts those of all
	next := check.Middleware(server.Handler())
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if operation, ok := strings.CutPrefix(r.URL.Path, openapicheck.BasePath+"/"); ok {
			mu.Lock()
			exchanges[operation]++
			mu.Unlock()
		}
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		// A request that a fault lets hang would keep Close waiting.
		front.CloseClientConnections()
		front.Close()
		t.Attr(openapicheck.Attribute, openapicheck.FormatCounts(exchanges))
		for _, violation := range untold(check) {
			t.Errorf("not as the OpenAPI document says: %s", violation)
		}
	})
	return front.URL
}

// untold returns the violations that no test has told yet.
func untold(check *openapicheck.Checker) []string {
	told.Lock()
	defer told.Unlock()
	if told.violations == nil {
		told.violations = map[string]bool{}
	}
	var fresh []string
	for _, violation := range check.Violations() {
		if !told.violations[violation] {
			told.violations[violation] = true
			fresh = append(fresh, violation)
		}
	}
	return fresh
}

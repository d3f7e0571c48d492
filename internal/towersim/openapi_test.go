// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest/openapicheck"
)

var vendorDocument = sync.OnceValues(func() (*openapicheck.Checker, error) {
	return openapicheck.New(os.Getenv(openapicheck.EnvDocument))
})

// TestExchangesAreComparedWithTheDocument is skipped without the document, so
// the output shows that no test compared anything.
func TestExchangesAreComparedWithTheDocument(t *testing.T) {
	openapicheck.NeedDocument(t)

	checker, err := vendorDocument()
	if err != nil {
		t.Fatal(err)
	}

	x := start(t, "")
	before := checker.Counts()["/get-vms"]
	x.vms(object{})

	if after := checker.Counts()["/get-vms"]; after <= before {
		t.Errorf("%d requests for VMs were compared before this one, %d after it", before, after)
	}
}

// validatingProxy starts a proxy that compares all exchanges with the vendor's
// document. The test fails if one violates it. Without the document, or with a
// scenario that intentionally violates it, it returns the server itself.
func (x *tower) validatingProxy(scenario string) string {
	x.t.Helper()

	leaves := strings.Contains(scenario, "body:") || strings.Contains(scenario, "version:")
	if os.Getenv(openapicheck.EnvDocument) == "" || leaves {
		return x.Server.URL()
	}

	checker, err := vendorDocument()
	if err != nil {
		x.t.Fatal(err)
	}

	before := len(checker.Violations())
	front := httptest.NewServer(checker.Middleware(x.Handler()))
	t := x.t

	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()

		for _, violation := range checker.Violations()[before:] {
			t.Errorf("violates the OpenAPI document: %s", violation)
		}
	})

	return front.URL
}

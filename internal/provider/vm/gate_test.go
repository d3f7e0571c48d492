// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// gate stands in front of the simulator. It can refuse one request, or answer none.
type gate struct {
	url string

	mu      sync.Mutex
	hangs   bool                   // no request is answered
	counts  func(path string) bool // which requests are counted; nil: all
	refuse  int                    // which request from now on is refused, from 1; 0: none
	passed  int                    // requests since then
	refused string                 // the path of the one that was refused
}

func newGate(t *testing.T, sim *acctest.Sim) *gate {
	t.Helper()
	target, err := url.Parse(sim.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	g, ended := &gate{}, make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.hanging() {
			<-ended
			return
		}
		if g.refuses(r.URL.Path) {
			http.Error(w, `{"message": "refused by the test"}`, http.StatusBadRequest)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		close(ended)
		server.Close()
	})
	g.url = server.URL
	return g
}

// hang leaves all requests without an answer, or not.
func (g *gate) hang(hangs bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hangs = hangs
}

func (g *gate) hanging() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.hangs
}

func (g *gate) refuses(path string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.counts != nil && !g.counts(path) {
		return false
	}
	g.passed++
	if g.passed != g.refuse {
		return false
	}
	g.refused = path
	return true
}

// during runs f, and has the n-th request that it makes refused; 0 lets all
// pass. It returns the path of the request that was refused, "" for none, and
// the number of requests.
func (g *gate) during(n int, f func()) (refused string, requests int) {
	g.mu.Lock()
	g.refuse, g.passed, g.refused = n, 0, ""
	g.mu.Unlock()
	f()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refuse = 0
	return g.refused, g.passed
}

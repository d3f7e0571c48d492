// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest/need"
)

// harness shows the status page in frames of several widths and writes down
// what became of them. It finds the page with VMs and its bars drawn, waits
// until the page has refreshed itself, and then looks at the layout.
const harness = `<!DOCTYPE html>
<title>harness</title>
<pre id="result">nothing yet</pre>
<script>
const result = {}, widths = [340, 800, 1400], run = location.search.slice(1);
async function look(width) {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 900;
  const loaded = new Promise((done) => frame.addEventListener("load", done));
  frame.src = "/";
  document.body.append(frame);
  await loaded;
  const view = frame.contentWindow, page = frame.contentDocument;
  const errors = [];
  view.addEventListener("error", (e) => errors.push(e.message));
  page.addEventListener("securitypolicyviolation", (e) => errors.push(e.violatedDirective));
  const name = "late-" + run + "-" + width;
  await fetch("/harness/loaded?" + name);
  while (![...page.querySelectorAll(".vm h3")].some((h) => h.textContent === name)) {
    await new Promise((done) => setTimeout(done, 50));
  }
  const visible = (e) => { const box = e.getBoundingClientRect(); return box.width > 0 && box.height > 0; };
  const kinds = new Set();
  for (const bar of page.querySelectorAll(".track rect")) if (visible(bar)) kinds.add(bar.classList[0]);
  const nameless = [...page.querySelectorAll("svg[role=img]")].filter((s) => !s.getAttribute("aria-label"));
  const ids = [...page.querySelectorAll("[id]")].map((e) => e.id);
  result[width] = {
    errors, kinds: [...kinds].sort(),
    overflow: page.documentElement.scrollWidth - page.documentElement.clientWidth,
    nameless: nameless.length, repeated: ids.length - new Set(ids).size,
    color: view.getComputedStyle(page.querySelector(".reported")).fill,
    pause: visible(page.getElementById("pause")), connection: page.getElementById("connection").textContent,
  };
}
(async () => {
  for (const width of widths) await look(width);
  document.getElementById("result").textContent = JSON.stringify(result);
})();
</script>`

// seen is what the harness writes down of one frame.
type seen struct {
	Errors, Kinds      []string
	Overflow           float64
	Nameless, Repeated int
	Color, Connection  string
	Pause              bool
}

func TestStatusPageInABrowser(t *testing.T) {
	browser := need.Program(t, "chromium", "chromium-browser", "google-chrome", "chrome")
	x := browsed(t)
	handler, refreshes := x.harnessed()
	front := httptest.NewServer(handler)
	t.Cleanup(front.Close)

	colors := map[string]string{}

	for scheme, flags := range map[string][]string{"light": nil, "dark": {"--force-dark-mode"}} {
		t.Run(scheme, func(t *testing.T) {
			dom := chromium(t, browser, front.URL+"/harness?"+scheme, append(flags, "--virtual-time-budget=60000", "--dump-dom")...)

			match := regexp.MustCompile(`(?s)<pre id="result">(.*?)</pre>`).FindSubmatch(dom)
			if match == nil {
				t.Fatalf("the browser shows %s", dom)
			}

			var frames map[string]seen
			if err := json.Unmarshal([]byte(html.UnescapeString(string(match[1]))), &frames); err != nil {
				t.Fatalf("the harness did not come to an end: %s", match[1])
			}

			for _, width := range []string{"340", "800", "1400"} {
				checkFrame(t, width, frames[width])
			}

			colors[frames["800"].Color] = scheme
		})
	}

	if len(colors) != 2 {
		t.Errorf("light and dark have the same colours: %v", colors)
	}

	if n := refreshes.Load(); n < 6 {
		t.Errorf("six frames have asked %d times for what has changed", n)
	}
}

func checkFrame(t *testing.T, width string, frame seen) {
	t.Helper()

	wantStrings(t, width+": kinds of bars", frame.Kinds, []string{"leased", "made", "node", "on", "reported", "waiting"})

	if len(frame.Errors) > 0 || frame.Connection != "" {
		t.Errorf("%s: the page went wrong: %q %q", width, frame.Errors, frame.Connection)
	}

	if frame.Overflow > 0 {
		t.Errorf("%s: the page is %v pixels wider than its window", width, frame.Overflow)
	}

	if frame.Nameless > 0 || frame.Repeated > 0 {
		t.Errorf("%s: %d pictures have no text, %d ids are there twice", width, frame.Nameless, frame.Repeated)
	}

	if !frame.Pause || frame.Color == "" || frame.Color == "rgb(0, 0, 0)" {
		t.Errorf("%s: the style or the script did not get through the policy: pause button %v, fill %q", width, frame.Pause, frame.Color)
	}
}

// browsed starts a server whose VMs have bars of all kinds.
func browsed(t *testing.T) *tower {
	t.Helper()

	x := startLoggedOut(t, `
inventory: {vms: [{name: cp-1, nics: [default]}, {name: mute-with-a-name-that-does-not-end-and-does-not-break-anywhere-at-all, nics: [default]}]}
guests: [{match: "cp-*", kubernetes_node: {registered: 30s}}, {match: "mute-*", nics: [{index: 0, reported: never}]}]
`)
	x.token = post[struct{ Data struct{ Token string } }](x, "login", object{"username": x.Username(), "password": x.Password()}).Data.Token
	x.create(object{"name": "made"})
	x.finishTasks()
	x.Advance(5 * time.Minute)

	return x
}

// harnessed puts the harness beside the page. Once a frame has loaded, another VM
// comes up, which the page can show only if it refreshes itself.
func (x *tower) harnessed() (http.Handler, *atomic.Int64) {
	inner, refreshes := x.Handler(), &atomic.Int64{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /harness", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, harness)
	})
	mux.HandleFunc("GET /harness/loaded", func(w http.ResponseWriter, r *http.Request) {
		params := x.params(object{"name": r.URL.RawQuery})
		if status, raw := x.call("create-vm-from-content-library-template", params); status != http.StatusOK {
			http.Error(w, string(raw), http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("part") == "live" {
			refreshes.Add(1)
		}

		inner.ServeHTTP(&framed{ResponseWriter: w}, r)
	})

	return mux, refreshes
}

// framed lets a page be shown in a frame of the harness.
type framed struct{ http.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (f *framed) WriteHeader(status int) {
	f.allow()
	f.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (f *framed) Write(p []byte) (int, error) {
	f.allow()

	return f.ResponseWriter.Write(p)
}

func (f *framed) allow() {
	header := f.Header()
	header.Set("Content-Security-Policy", strings.Replace(
		header.Get("Content-Security-Policy"), "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
}

// chromium opens a page without a window, in the browser at path, and returns
// what it printed.
func chromium(t *testing.T, path, address string, flags ...string) []byte {
	t.Helper()

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	args := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir=" + t.TempDir(),
	}, flags...)
	cmd := exec.CommandContext(ctx, path, append(args, address)...)

	var output, trouble bytes.Buffer

	cmd.Stdout, cmd.Stderr = &output, &trouble
	if err := errors.Join(cmd.Run(), ctx.Err()); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, trouble.Bytes())
	}

	return output.Bytes()
}

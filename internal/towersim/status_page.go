// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"bytes"
	"crypto/rand"
	_ "embed" // the page
	"fmt"
	htmltemplate "html/template"
	"net/http"
)

//go:embed status.html
var statusHTML string

var statusTemplate = htmltemplate.Must(htmltemplate.New("status").Funcs(htmltemplate.FuncMap{
	// Two digits are a thousandth of what a bar is drawn on.
	"percent": func(x float64) string { return fmt.Sprintf("%.2f%%", x) },
}).Parse(statusHTML))

// statusView is what the template is given.
type statusView struct {
	status

	Nonce string // of this answer's own script and style
}

// getStatusPage answers a person who opens the simulator in a browser. The page
// is whole without a script; with one it asks for itself again and again.
func (s *Server) getStatusPage(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	view := statusView{
		status: s.status(statusQuery{
			Name: query.Get("name"), Waiting: query.Get("only") == "waiting", Table: query.Get("view") == "table",
		}),
		Nonce: rand.Text(),
	}

	// The page asks for what changes alone, since its style would not be this
	// answer's.
	part := "status"
	if query.Get("part") == "live" {
		part = "live"
	}

	var page bytes.Buffer
	if err := statusTemplate.ExecuteTemplate(&page, part, view); err != nil {
		s.log.Error("the status page cannot be written", "error", err)
		http.Error(w, "the status page cannot be written: "+err.Error(), http.StatusInternalServerError)

		return
	}

	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	// Names of VMs are whatever clients send; nothing that they smuggle in runs.
	header.Set("Content-Security-Policy", fmt.Sprintf(
		"default-src 'none'; script-src 'nonce-%[1]s'; style-src 'nonce-%[1]s'; connect-src 'self'; img-src data:; "+
			"form-action 'self'; base-uri 'none'; frame-ancestors 'none'", view.Nonce))

	// A browser that has gone does not get the rest.
	_, _ = w.Write(page.Bytes())
}

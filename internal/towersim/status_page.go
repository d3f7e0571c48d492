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
	// With two digits, a bar's place is exact to a ten-thousandth of the axis.
	"percent": func(x float64) string { return fmt.Sprintf("%.2f%%", x) },
}).Parse(statusHTML))

// statusView is the data of the page's template.
type statusView struct {
	status

	Nonce string // for the script and the style of this reply
}

// getStatusPage serves the page for people. The page works without JavaScript;
// with JavaScript it updates itself.
func (s *Server) getStatusPage(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	view := statusView{
		status: s.status(statusQuery{
			Name: query.Get("name"), Waiting: query.Get("only") == "waiting", Table: query.Get("view") == "table",
		}),
		Nonce: rand.Text(),
	}

	// The script requests only the part that changes. The style of a whole page
	// would have another nonce than the page's.
	part := "status"
	if query.Get("part") == "live" {
		part = "live"
	}

	var page bytes.Buffer
	if err := statusTemplate.ExecuteTemplate(&page, part, view); err != nil {
		s.log.Error("cannot render the status page", "error", err)
		http.Error(w, "cannot render the status page: "+err.Error(), http.StatusInternalServerError)

		return
	}

	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	// VM names are whatever clients send. The policy prevents that scripts in
	// them run.
	header.Set("Content-Security-Policy", fmt.Sprintf(
		"default-src 'none'; script-src 'nonce-%[1]s'; style-src 'nonce-%[1]s'; connect-src 'self'; img-src data:; "+
			"form-action 'self'; base-uri 'none'; frame-ancestors 'none'", view.Nonce))

	// If the browser is gone, the rest of the page is lost.
	_, _ = w.Write(page.Bytes())
}

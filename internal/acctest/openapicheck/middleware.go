// SPDX-License-Identifier: MPL-2.0

package openapicheck

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
)

// Middleware passes requests to next and checks each exchange when its reply is
// complete. It does not check an exchange whose reply was cut off because the
// handler panicked or took over the connection.
func (c *Checker) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, BasePath+"/") {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			// The request is incomplete. The handler gets the same error when it reads the body.
			r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failingReader{err}))
			next.ServeHTTP(w, r)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		rec := &recorder{ResponseWriter: w}
		next.ServeHTTP(rec, r)
		if rec.hijacked || r.Context().Err() != nil {
			return
		}
		status := rec.status
		if status == 0 {
			status = http.StatusOK
		}
		c.Check(Exchange{
			Method: r.Method, Path: r.URL.Path, RequestType: r.Header.Get("Content-Type"), RequestBody: body,
			Status: status, Header: w.Header(), ResponseBody: rec.body.Bytes(),
		})
	})
}

// failingReader returns the error that ended the original body.
type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

// recorder passes a reply on and keeps a copy of it.
type recorder struct {
	http.ResponseWriter
	status   int
	body     bytes.Buffer
	hijacked bool
}

// WriteHeader implements [http.ResponseWriter].
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= http.StatusOK {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	r.body.Write(p)
	return r.ResponseWriter.Write(p)
}

// Unwrap lets [http.ResponseController] reach the original writer.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Flush implements [http.Flusher].
func (r *recorder) Flush() {
	if f, ok := r.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// Hijack implements [http.Hijacker].
func (r *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(r.ResponseWriter).Hijack()
	r.hijacked = r.hijacked || err == nil
	return conn, rw, err
}

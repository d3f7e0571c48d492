// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// suffer lets the part of a fault happen that comes before the handler. It
// returns false if the request has come to its end with it.
func (s *Server) applyFault(r *http.Request, w http.ResponseWriter, fault *Fault, arrived time.Time) bool {
	ctx, cancel := s.untilClosed(r.Context())
	defer cancel()

	if fault.Slow > 0 {
		s.clock.sleepUntil(ctx, arrived.Add(time.Duration(fault.Slow)))
	}

	switch {
	case fault.Hang:
		// That the client leaves is noticed once its request was read to the end.
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			<-ctx.Done()
		}

		dropConnection(w)

		return false
	case fault.Reset == ResetBefore:
		dropConnection(w)

		return false
	case fault.Body == BodyHTML:
		s.sendProxyPage(w, int(fault.Status))

		return false
	case fault.Status != 0:
		s.sendStatus(w, r.URL.Path, fault)

		return false
	}

	return true
}

// deliver sends a reply, or does to it what the fault says.
func (s *Server) sendReply(w http.ResponseWriter, out reply, fault *Fault) {
	switch {
	case fault == nil:
		s.send(w, out)
	case fault.Reset == ResetAfter:
		dropConnection(w)
	case fault.Body == BodyGarbage:
		s.send(w, reply{status: http.StatusOK, body: []byte(`{"data": [}`)})
	case fault.Body == BodyWrong:
		s.send(w, reply{status: http.StatusOK, body: []byte(`{"data": "ok"}`)})
	case fault.Body == BodyTruncated:
		w.Header().Set("Content-Length", strconv.Itoa(len(out.body)))
		s.send(w, reply{status: out.status, body: out.body[:len(out.body)/2]})
		flush(w)
		dropConnection(w)
	default:
		s.send(w, out)
	}
}

func (s *Server) sendStatus(w http.ResponseWriter, path string, fault *Fault) {
	message := fault.Message
	if message == "" {
		message = http.StatusText(int(fault.Status))
	}

	if fault.Status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}

	s.send(w, errorReply(&apiError{status: int(fault.Status), message: message}, path))
}

// sendPage answers as a proxy does that cannot reach Tower.
func (s *Server) sendProxyPage(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<html>\r\n<head><title>%d %s</title></head>\r\n<body>\r\n<center><h1>%d %s</h1></center>\r\n"+
		"<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n",
		status, http.StatusText(status), status, http.StatusText(status))
}

// drop ends the connection of a request as if the network had failed.
func dropConnection(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}

	if tcp, ok := connection.(*net.TCPConn); ok {
		// Without lingering, closing sends a reset.
		_ = tcp.SetLinger(0)
	}

	_ = connection.Close()
}

func flush(w http.ResponseWriter) {
	_ = http.NewResponseController(w).Flush()
}

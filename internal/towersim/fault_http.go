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

// applyFault applies the part of a fault that comes before the handler. It
// returns false if that has ended the request.
func (s *Server) applyFault(r *http.Request, w http.ResponseWriter, fault *Fault, arrived time.Time) bool {
	ctx, cancel := s.untilClosed(r.Context())
	defer cancel()

	if fault.Slow > 0 {
		s.clock.sleepUntil(ctx, arrived.Add(time.Duration(fault.Slow)))
	}

	switch {
	case fault.Hang:
		// The server notices that the client has gone only after the whole
		// request was read.
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

// sendReply sends a reply, spoilt by the fault if it says so.
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

// sendProxyPage answers as a proxy that cannot reach Tower.
func (s *Server) sendProxyPage(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<html>\r\n<head><title>%d %s</title></head>\r\n<body>\r\n<center><h1>%d %s</h1></center>\r\n"+
		"<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n",
		status, http.StatusText(status), status, http.StatusText(status))
}

// dropConnection closes the connection of a request as a network failure would.
func dropConnection(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}

	if tcp, ok := connection.(*net.TCPConn); ok {
		// Without lingering, the close sends a TCP reset.
		_ = tcp.SetLinger(0)
	}

	_ = connection.Close()
}

func flush(w http.ResponseWriter) {
	_ = http.NewResponseController(w).Flush()
}

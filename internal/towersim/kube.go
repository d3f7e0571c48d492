// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// kubeServer is the API of the simulated workload cluster. It has its own port
// and always uses TLS, because Kubernetes clients send no token without it.
type kubeServer struct {
	http        *http.Server
	certificate *certificate
	token       string
	url         string
	served      chan error
}

// Kubeconfig returns a kubeconfig for the simulated workload cluster. The first
// call starts its API.
func (s *Server) Kubeconfig() (string, error) {
	s.kubeOnce.Do(func() { s.kube, s.kubeErr = s.startKubernetes() })

	if s.kubeErr != nil {
		return "", fmt.Errorf("towersim: %w", s.kubeErr)
	}

	authority := base64.StdEncoding.EncodeToString([]byte(s.kube.certificate.pem))

	return strings.Join([]string{
		"apiVersion: v1",
		"kind: Config",
		"clusters:",
		"- name: towersim",
		"  cluster:",
		"    server: " + s.kube.url,
		"    certificate-authority-data: " + authority,
		"users:",
		"- name: towersim",
		"  user:",
		"    token: " + s.kube.token,
		"contexts:",
		"- name: towersim",
		"  context:",
		"    cluster: towersim",
		"    user: towersim",
		"current-context: towersim",
		"",
	}, "\n"), nil
}

func (s *Server) startKubernetes() (*kubeServer, error) {
	select {
	case <-s.done:
		return nil, errors.New("the server is closed")
	default:
	}

	address, err := url.Parse(s.url)
	if err != nil {
		return nil, fmt.Errorf("cannot determine the address to listen on: %w", err)
	}

	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", net.JoinHostPort(address.Hostname(), "0"))
	if err != nil {
		return nil, fmt.Errorf("cannot listen: %w", err)
	}

	certificate, err := newCertificate(listener.Addr())
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}

	s.mu.Lock()
	token := s.ids.token()
	s.mu.Unlock()

	k := &kubeServer{certificate: certificate, token: token, url: "https://" + listener.Addr().String(), served: make(chan error, 1)}
	k.http = &http.Server{Handler: s.kubernetesHandler(token), ReadHeaderTimeout: 30 * time.Second}

	go func() { k.served <- k.http.Serve(tls.NewListener(listener, certificate.config())) }()

	return k, nil
}

// stopKubernetes closes the API of the workload cluster, if it was started.
func (s *Server) stopKubernetes() error {
	s.kubeOnce.Do(func() { s.kubeErr = errors.New("the server is closed") })

	if s.kube == nil {
		return nil
	}

	err := s.kube.http.Close()
	if serveErr := <-s.kube.served; !errors.Is(serveErr, http.ErrServerClosed) {
		err = errors.Join(err, serveErr)
	}

	return err
}

// kubernetesHandler serves what a client needs to list nodes: discovery and the
// nodes.
func (s *Server) kubernetesHandler(token string) http.Handler {
	mux := http.NewServeMux()

	for path, document := range discovery {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { sendKube(w, http.StatusOK, document) })
	}

	mux.HandleFunc("GET /api/v1/nodes", s.listNodes)
	mux.HandleFunc("GET /api/v1/nodes/{name}", s.getNode)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			sendKube(w, http.StatusMethodNotAllowed, kubeStatus(http.StatusMethodNotAllowed, "MethodNotAllowed",
				"the server does not allow this method on the requested resource", ""))

			return
		}

		sendKube(w, http.StatusNotFound, kubeStatus(http.StatusNotFound, "NotFound",
			"the server could not find the requested resource", ""))
	})

	want := []byte("Bearer " + token)

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			sendKube(w, http.StatusUnauthorized, kubeStatus(http.StatusUnauthorized, "Unauthorized", "Unauthorized", ""))

			return
		}

		mux.ServeHTTP(w, r)
	})
}

// document is a JSON object of the Kubernetes API.
type document = map[string]any

const kubeletVersion = "v1.30.4"

// discovery tells clients that there are nodes and how to request them.
var discovery = map[string]document{
	"/version": {
		"major": "1", "minor": "30", "gitVersion": kubeletVersion, "gitCommit": "0000000000000000000000000000000000000000",
		"gitTreeState": "clean", "buildDate": "2024-08-14T00:00:00Z", "goVersion": "go1.22.5", "compiler": "gc", "platform": "linux/amd64",
	},
	"/api":  {"kind": "APIVersions", "versions": []string{"v1"}, "serverAddressByClientCIDRs": []any{}},
	"/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{}},
	"/api/v1": {
		"kind": "APIResourceList", "groupVersion": "v1", "resources": []document{{
			"name": "nodes", "singularName": "node", "namespaced": false, "kind": "Node",
			"verbs": []string{"get", "list", "watch"}, "shortNames": []string{"no"},
		}},
	},
}

func kubeStatus(code int, reason, message, name string) document {
	status := document{
		"kind": "Status", "apiVersion": "v1", "metadata": document{}, "status": "Failure",
		"message": message, "reason": reason, "code": code,
	}

	if name != "" {
		status["details"] = document{"name": name, "kind": "nodes"}
	}

	return status
}

func (s *Server) getKubeconfig(w http.ResponseWriter, _ *http.Request) {
	config, err := s.Kubeconfig() //nolint:contextcheck // the listener outlives the request
	if err != nil {
		sendError(w, err)

		return
	}

	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write([]byte(config))
}

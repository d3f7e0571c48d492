// SPDX-License-Identifier: MPL-2.0

package kubenode

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

const (
	goodToken  = "good-token"
	nodeID     = "elf://11111111-2222-3333-4444-555555555555"
	nodeIP     = "10.255.1.7"
	pluginEnv  = "KUBENODE_TEST_PLUGIN" // makes the test binary a credential plugin that prints this token
	pluginFail = "fail"
)

func TestMain(m *testing.M) {
	switch token := os.Getenv(pluginEnv); token {
	case "":
		os.Exit(m.Run())
	case pluginFail:
		os.Exit(3)
	default:
		fmt.Printf(`{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": %q}}`, token)
	}
}

// apiServer serves the part of the Kubernetes API that lists nodes. It accepts a client certificate or the good token.
type apiServer struct {
	*httptest.Server
	lists atomic.Int64
	// handle answers accepted requests, if it is set.
	handle atomic.Pointer[http.HandlerFunc]

	ca, clientCert, clientKey string
}

func newAPIServer(t *testing.T) *apiServer {
	t.Helper()
	s := &apiServer{}
	ca := newCertificate(t, nil)
	server, client := newCertificate(t, ca), newCertificate(t, ca)
	s.ca, s.clientCert, s.clientKey = ca.certPEM, client.certPEM, client.keyPEM
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.TLS = &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{server.cert.Raw}, PrivateKey: server.key}},
		ClientAuth:   tls.VerifyClientCertIfGiven, ClientCAs: pool,
	}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (s *apiServer) serve(w http.ResponseWriter, r *http.Request) {
	s.lists.Add(1)
	switch {
	case r.Method != http.MethodGet || r.URL.Path != "/api/v1/nodes":
		refuseWith(w, http.StatusNotFound, metav1.StatusReasonNotFound, "no such thing")
	case len(r.TLS.PeerCertificates) == 0 && r.Header.Get("Authorization") != "Bearer "+goodToken:
		refuseWith(w, http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "Unauthorized")
	default:
		if handle := s.handle.Load(); handle != nil {
			(*handle)(w, r)
			return
		}
		w.Header().Set("Content-Type", jsonType)
		_ = json.NewEncoder(w).Encode(nodeList())
	}
}

func (s *apiServer) answer(handle http.HandlerFunc) { s.handle.Store(&handle) }

func nodeList() *corev1.NodeList {
	list := &corev1.NodeList{Items: []corev1.Node{
		makeNode("other", "", time.Now(), "10.255.1.8"), makeNode("n", nodeID, time.Now(), "", nodeIP),
	}}
	list.APIVersion, list.Kind = "v1", "NodeList"
	return list
}

func serveProtobuf(w http.ResponseWriter, _ *http.Request) {
	scheme := runtime.NewScheme()
	_ = corev1.AddToScheme(scheme)
	w.Header().Set("Content-Type", protoType)
	_ = protobuf.NewSerializer(scheme, scheme).Encode(nodeList(), w)
}

func refuseWith(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
	})
}

// config returns a configuration with the good token.
func (s *apiServer) config() Config {
	return Config{Host: s.URL, Token: goodToken, ClusterCACertificate: s.ca}
}

// kubeconfig returns a kubeconfig with two contexts for the server: "good" with the given user, and "nobody" without a
// user.
func (s *apiServer) kubeconfig(user map[string]any) string {
	return kubeconfigOf(s.URL, s.ca, user)
}

func kubeconfigOf(server, ca string, user map[string]any) string {
	text, _ := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "good",
		"clusters": []any{map[string]any{"name": "c", "cluster": map[string]any{
			"server": server, "certificate-authority-data": []byte(ca),
		}}},
		"users": []any{map[string]any{"name": "u", "user": user}},
		"contexts": []any{
			map[string]any{"name": "good", "context": map[string]any{"cluster": "c", "user": "u"}},
			map[string]any{"name": "nobody", "context": map[string]any{"cluster": "c"}},
		},
	})
	return string(text)
}

func withToken() map[string]any { return map[string]any{"token": goodToken} }

type certificate struct {
	cert            *x509.Certificate
	key             *ecdsa.PrivateKey
	certPEM, keyPEM string
}

// newCertificate makes an authority if ca is nil, else a certificate signed by ca for a server at 127.0.0.1 and its
// clients.
func newCertificate(t *testing.T, ca *certificate) *certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "kubenode test " + serial.String()},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		BasicConstraintsValid: true, IsCA: ca == nil, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	parent, signer := template, key
	if ca != nil {
		parent, signer = ca.cert, ca.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return &certificate{
		cert: cert, key: key,
		certPEM: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		keyPEM:  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})),
	}
}

// look asks once, with a timeout that a local server easily meets.
func look(t *testing.T, cfg Config) Status {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d := New(cfg, Options{Interval: time.Hour, RequestTimeout: 20 * time.Second, UserAgent: "kubenode-test"})
	return d.Look(ctx, Query{ProviderID: nodeID})
}

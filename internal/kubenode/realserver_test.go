// SPDX-License-Identifier: MPL-2.0

package kubenode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	typedrbacv1 "k8s.io/client-go/kubernetes/typed/rbac/v1"
	"k8s.io/client-go/rest"
)

const (
	// assetsEnv names the folder with the binaries; tests of controllers use the same variable.
	assetsEnv = "KUBEBUILDER_ASSETS"
	// adminToken is the token of an administrator, which the server is started with.
	adminToken = "admin-token"
	// startLimit is how long a busy machine may take to start a server.
	startLimit = 2 * time.Minute
	// The service accounts, one of which may list nodes, and their namespace.
	readerAccount, deniedAccount, testNamespace = "reader", "denied", "kubenode-test"
)

// realServer is kube-apiserver with an etcd of its own.
type realServer struct {
	url, ca, clientCert, clientKey string

	core *typedcorev1.CoreV1Client
	rbac *typedrbacv1.RbacV1Client
}

// binary finds a program in the folder that the environment names, or on PATH if it names none. It skips the test if
// PATH does not have the program.
func binary(t *testing.T, name string) string {
	t.Helper()
	if dir := os.Getenv(assetsEnv); dir != "" {
		path, err := exec.LookPath(filepath.Join(dir, name))
		if err != nil {
			t.Fatalf("%s names no folder with %s: %v", assetsEnv, name, err)
		}
		return path
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not on PATH and %s does not name its folder; `make test-kubernetes` builds it", name, assetsEnv)
	}
	return path
}

// freeAddresses returns addresses on the loopback interface at which nobody listens.
func freeAddresses(t *testing.T, n int) []string {
	t.Helper()
	addresses := make([]string, 0, n)
	for range n {
		// All of them stay open until the last one is found, so that they differ.
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		addresses = append(addresses, listener.Addr().String())
	}
	return addresses
}

// process is a server that has been started.
type process struct {
	name   string
	exited chan struct{} // closed when it has ended
	mu     sync.Mutex
	output bytes.Buffer
}

// Write keeps what the server prints.
func (p *process) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.Write(text)
}

// start starts a server that is stopped when the test ends.
func start(t *testing.T, path string, args ...string) *process {
	t.Helper()
	p := &process{name: filepath.Base(path), exited: make(chan struct{})}
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = p, p, t.TempDir()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		patience := time.NewTimer(10 * time.Second)
		defer patience.Stop()
		select {
		case <-p.exited:
		case <-patience.C:
			_ = cmd.Process.Kill()
			<-p.exited
		}
		if t.Failed() {
			p.mu.Lock()
			defer p.mu.Unlock()
			lines := strings.Split(p.output.String(), "\n")
			t.Logf("%s printed last:\n%s", p.name, strings.Join(lines[max(0, len(lines)-20):], "\n"))
		}
	})
	return p
}

// await repeats an attempt until it succeeds.
func (p *process) await(t *testing.T, attempt func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := attempt(ctx)
		if err == nil {
			return
		}
		select {
		case <-ticker.C:
		case <-p.exited:
			t.Fatalf("%s ended instead of serving: %v", p.name, err)
		case <-ctx.Done():
			t.Fatalf("%s does not serve after %s: %v", p.name, startLimit, err)
		}
	}
}

func startRealServer(t *testing.T) *realServer {
	t.Helper()
	etcd, apiserver := binary(t, "etcd"), binary(t, "kube-apiserver")
	dir := t.TempDir()
	addresses := freeAddresses(t, 3)
	store, peer := "http://"+addresses[0], "http://"+addresses[1]
	etcdProcess := start(t, etcd, "--data-dir", filepath.Join(dir, "etcd"),
		"--listen-client-urls", store, "--advertise-client-urls", store,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	etcdProcess.await(t, func(ctx context.Context) error {
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", addresses[0])
		if err != nil {
			return err
		}
		return connection.Close()
	})

	ca := newCertificate(t, nil)
	serving, client, accounts := newCertificate(t, ca), newCertificate(t, ca), newCertificate(t, ca)
	file := func(name, text string) string { return writeFile(t, filepath.Join(dir, name), text) }
	_, port, err := net.SplitHostPort(addresses[2])
	if err != nil {
		t.Fatal(err)
	}
	s := &realServer{url: "https://" + addresses[2], ca: ca.certPEM, clientCert: client.certPEM, clientKey: client.keyPEM}
	server := start(t, apiserver, "--etcd-servers", store, "--bind-address", "127.0.0.1", "--secure-port", port,
		"--cert-dir", filepath.Join(dir, "certificates"),
		"--tls-cert-file", file("serving.crt", serving.certPEM), "--tls-private-key-file", file("serving.key", serving.keyPEM),
		"--client-ca-file", file("ca.crt", ca.certPEM),
		"--token-auth-file", file("tokens.csv", adminToken+",admin,admin,system:masters\n"),
		"--service-account-issuer", s.url, "--service-account-key-file", file("accounts.crt", accounts.certPEM),
		"--service-account-signing-key-file", file("accounts.key", accounts.keyPEM),
		"--authorization-mode", "RBAC", "--service-cluster-ip-range", "10.0.0.0/24")
	admin := &rest.Config{Host: s.url, BearerToken: adminToken, TLSClientConfig: rest.TLSClientConfig{CAData: []byte(ca.certPEM)}}
	if s.core, err = typedcorev1.NewForConfig(admin); err != nil {
		t.Fatal(err)
	}
	if s.rbac, err = typedrbacv1.NewForConfig(admin); err != nil {
		t.Fatal(err)
	}
	server.await(t, func(ctx context.Context) error {
		return s.core.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
	s.allow(t, client.cert.Subject.CommonName)
	return s
}

// allow lets user and the service account "reader" list nodes. The account "denied" may not.
func (s *realServer) allow(t *testing.T, user string) {
	t.Helper()
	ctx, create := t.Context(), metav1.CreateOptions{}
	meta := metav1.ObjectMeta{Name: testNamespace}
	_, err := s.core.Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: meta}, create)
	for _, name := range []string{readerAccount, deniedAccount} {
		_, failure := s.core.ServiceAccounts(testNamespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, create)
		err = errors.Join(err, failure)
	}
	_, failure := s.rbac.ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"list"}}},
	}, create)
	err = errors.Join(err, failure)
	_, failure = s.rbac.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: testNamespace},
		Subjects: []rbacv1.Subject{
			{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user},
			{Kind: rbacv1.ServiceAccountKind, Namespace: testNamespace, Name: readerAccount},
		},
	}, create)
	if err = errors.Join(err, failure); err != nil {
		t.Fatal(err)
	}
}

// token returns a token that the server issues for a service account.
func (s *realServer) token(t *testing.T, account string) string {
	t.Helper()
	answer, err := s.core.ServiceAccounts(testNamespace).CreateToken(t.Context(), account, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Status.Token
}

func (s *realServer) createNode(t *testing.T, n corev1.Node) corev1.Node {
	t.Helper()
	created, err := s.core.Nodes().Create(t.Context(), &n, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return *created
}

func TestRealAPIServer(t *testing.T) {
	s := startRealServer(t)
	s.createNode(t, makeNode("other", "", time.Time{}, "10.255.1.8"))
	s.createNode(t, makeNode("n", nodeID, time.Time{}, nodeIP))
	reader := s.token(t, readerAccount)
	withCertificate := Config{Host: s.url, ClientCertificate: s.clientCert, ClientKey: s.clientKey, ClusterCACertificate: s.ca}
	withReader := Config{Host: s.url, Token: reader, ClusterCACertificate: s.ca}
	kubeconfig := kubeconfigOf(s.url, s.ca, map[string]any{"token": reader})

	for name, config := range map[string]Config{
		"client certificate": withCertificate, "token": withReader, "kubeconfig": {ConfigContent: kubeconfig},
	} {
		t.Run(name, func(t *testing.T) { wantFound(t, look(t, config)) })
	}
	for name, c := range map[string]struct {
		config Config
		parts  []string
	}{
		"wrong token": {Config{Host: s.url, Token: "wrong-token", ClusterCACertificate: s.ca}, []string{"refuses the credentials (401)", s.url}},
		"no role": {
			Config{Host: s.url, Token: s.token(t, deniedAccount), ClusterCACertificate: s.ca},
			[]string{"refuses to list nodes (403)", fmt.Sprintf("system:serviceaccount:%s:%s", testNamespace, deniedAccount)},
		},
		"another authority": {Config{Host: s.url, Token: reader, ClusterCACertificate: newCertificate(t, nil).certPEM}, []string{"is not trusted"}},
	} {
		t.Run(name, func(t *testing.T) { wantProblem(t, look(t, c.config), c.parts...) })
	}
	t.Run("appears while watched", func(t *testing.T) { s.appears(t, withReader) })
}

// appears watches for a node that does not exist yet and that only its name and age identify.
func (s *realServer) appears(t *testing.T, config Config) {
	t.Helper()
	d := New(config, Options{Interval: 100 * time.Millisecond, RequestTimeout: 20 * time.Second})
	query := Query{ProviderID: "elf://late", VMName: "late", VMCreatedAt: time.Now()}
	w := d.Watch(t.Context(), query)
	defer w.Stop()
	await := func(want func(Status) bool) Status {
		t.Helper()
		limit := time.NewTimer(time.Minute)
		defer limit.Stop()
		for {
			select {
			case <-w.Fresh():
				if status := w.Status(); want(status) {
					return status
				}
			case <-limit.C:
				t.Fatalf("after a minute the status is %+v", w.Status())
			}
		}
	}
	if status := await(func(Status) bool { return true }); status.Node != "" || !strings.Contains(status.Problem, "No node") {
		t.Errorf("before the node is there: %+v", status)
	}
	created := s.createNode(t, makeNode("late", "", time.Time{}, "10.255.1.9"))
	if status := await(func(s Status) bool { return s.Node != "" }); status.Node != "late" || status.InternalIPs[0] != "10.255.1.9" {
		t.Errorf("once the node is there: %+v", status)
	}
	query.VMCreatedAt = created.CreationTimestamp.Add(time.Second)
	if status := d.Lookup(query); status.Node != "" || !strings.Contains(status.Problem, "predecessor") {
		t.Errorf("of a younger VM: %+v", status)
	}
}

// SPDX-License-Identifier: MPL-2.0

package kubenode

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func wantFound(t *testing.T, s Status) {
	t.Helper()
	if s.Node != "n" || !slices.Equal(s.InternalIPs, []string{nodeIP}) || s.Problem != "" || s.At.IsZero() {
		t.Errorf("got %+v", s)
	}
}

func wantProblem(t *testing.T, s Status, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(s.Problem, part) {
			t.Errorf("got problem %q, want %q in it", s.Problem, part)
		}
	}
	if s.Node != "" || s.InternalIPs != nil {
		t.Errorf("got %+v beside the problem", s)
	}
	if !strings.HasSuffix(s.Problem, ".") || strings.Contains(s.Problem, "\n") {
		t.Errorf("problem %q is not one sentence", s.Problem)
	}
	if strings.Contains(s.Problem, goodToken) {
		t.Errorf("problem %q contains the token", s.Problem)
	}
}

func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestList_credentials(t *testing.T) {
	s := newAPIServer(t)
	plugin := func(token string) map[string]any {
		return map[string]any{"exec": map[string]any{
			"apiVersion": "client.authentication.k8s.io/v1", "command": os.Args[0], "interactiveMode": "Never",
			"env": []any{map[string]any{"name": pluginEnv, "value": token}},
		}}
	}
	certificates := map[string]any{"client-certificate-data": []byte(s.clientCert), "client-key-data": []byte(s.clientKey)}
	wrong := map[string]any{"token": "wrong-token"}

	dir := t.TempDir()
	t.Setenv("HOME", dir)
	writeFile(t, filepath.Join(dir, "client.crt"), s.clientCert)
	writeFile(t, filepath.Join(dir, "client.key"), s.clientKey)
	writeFile(t, filepath.Join(dir, "token"), "wrong-token")
	relative := s.kubeconfig(map[string]any{"client-certificate": "client.crt", "client-key": "client.key"})
	path := writeFile(t, filepath.Join(dir, "config"), relative)
	fromFile := s.kubeconfig(map[string]any{"tokenFile": filepath.Join(dir, "token")})

	for _, c := range []struct {
		name   string
		config Config
		bad    bool
	}{
		{"token", s.config(), false},
		{"client certificate", Config{Host: s.URL, ClientCertificate: s.clientCert, ClientKey: s.clientKey, ClusterCACertificate: s.ca}, false},
		{"host without a scheme", Config{Host: s.Listener.Addr().String(), Token: goodToken, ClusterCACertificate: s.ca}, false},
		{"insecure", Config{Host: s.URL, Token: goodToken, Insecure: true}, false},
		{"kubeconfig with a token", Config{ConfigContent: s.kubeconfig(withToken())}, false},
		{"kubeconfig with a client certificate", Config{ConfigContent: s.kubeconfig(certificates)}, false},
		{"kubeconfig file with relative paths", Config{ConfigPath: path}, false},
		{"kubeconfig file at home", Config{ConfigPath: "~/config"}, false},
		{"kubeconfig with a plugin", Config{ConfigContent: s.kubeconfig(plugin(goodToken))}, false},
		{"token before that of the kubeconfig", Config{ConfigContent: s.kubeconfig(wrong), Token: goodToken}, false},
		{"token before the kubeconfig's file", Config{ConfigContent: fromFile, Token: goodToken}, false},
		{"token before the kubeconfig's plugin", Config{ConfigContent: s.kubeconfig(plugin("wrong-token")), Token: goodToken}, false},
		{"token in another context", Config{ConfigContent: s.kubeconfig(wrong), ConfigContext: "nobody", Token: goodToken}, false},
		{"client certificate before a token", Config{ConfigContent: s.kubeconfig(wrong), ClientCertificate: s.clientCert, ClientKey: s.clientKey}, false},
		{"host before the kubeconfig's", Config{ConfigContent: strings.ReplaceAll(s.kubeconfig(withToken()), s.URL, "https://127.0.0.1:1"), Host: s.URL}, false},
		{"insecure before the kubeconfig's authority", Config{ConfigContent: s.kubeconfig(withToken()), Insecure: true}, false},

		{"wrong token", Config{Host: s.URL, Token: "wrong-token", ClusterCACertificate: s.ca}, true},
		{"kubeconfig's token in a file", Config{ConfigContent: fromFile}, true},
		{"nobody", Config{ConfigContent: s.kubeconfig(withToken()), ConfigContext: "nobody"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.config.Check(); err != nil {
				t.Errorf("refused: %v", err)
			}
			got := look(t, c.config)
			if c.bad {
				wantProblem(t, got, "refuses the credentials (401)", s.URL)
			} else {
				wantFound(t, got)
			}
		})
	}
	t.Run("failing plugin", func(t *testing.T) {
		wantProblem(t, look(t, Config{ConfigContent: s.kubeconfig(plugin(pluginFail))}), "exec", "exit code 3")
	})
}

func TestList_protobuf(t *testing.T) {
	s := newAPIServer(t)
	s.answer(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept"), protoType) || r.UserAgent() != "kubenode-test" {
			t.Errorf("got headers %v", r.Header)
		}
		serveProtobuf(w, r)
	})
	wantFound(t, look(t, s.config()))
}

func TestList_problems(t *testing.T) {
	s := newAPIServer(t)
	plain := func(code int, contentType, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(code)
			_, _ = w.Write([]byte(text))
		}
	}
	for _, c := range []struct {
		name   string
		handle http.HandlerFunc
		parts  []string
	}{
		{"403", func(w http.ResponseWriter, _ *http.Request) {
			refuseWith(w, http.StatusForbidden, metav1.StatusReasonForbidden, `nodes is forbidden: User "u" cannot list resource "nodes".`)
		}, []string{"(403)", "allow this user to list nodes", `User "u" cannot list`}},
		{"500", func(w http.ResponseWriter, _ *http.Request) {
			refuseWith(w, http.StatusInternalServerError, metav1.StatusReasonInternalError, "etcd is away")
		}, []string{"failed", "etcd is away"}},
		{"429", plain(http.StatusTooManyRequests, "text/plain", "slow down"), []string{"failed"}},
		{"503 as a proxy sends it", plain(http.StatusServiceUnavailable, "text/html", "<html>no backend</html>"), []string{"failed"}},
		{"404", plain(http.StatusNotFound, "text/plain", "404 page not found"), []string{"failed", "could not find"}},
		{"no list", plain(http.StatusOK, jsonType, "{"), []string{s.URL}},
		{"a page", plain(http.StatusOK, "text/html", "<html>welcome</html>"), []string{s.URL}},
		{"another list", plain(http.StatusOK, jsonType, `{"kind":"PodList","apiVersion":"v1","items":[]}`), []string{s.URL}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.answer(c.handle)
			before := s.lists.Load()
			wantProblem(t, look(t, s.config()), c.parts...)
			if n := s.lists.Load() - before; n != 1 {
				t.Errorf("asked %d times in one tick", n)
			}
		})
	}

	t.Run("no such node", func(t *testing.T) {
		s.answer(plain(http.StatusOK, jsonType, `{"kind":"NodeList","apiVersion":"v1","items":null}`))
		wantProblem(t, look(t, s.config()), "No node has the provider id "+nodeID)
	})
	t.Run("untrusted certificate", func(t *testing.T) {
		wantProblem(t, look(t, Config{Host: s.URL, Token: goodToken}), "certificate", "is not trusted")
	})
	t.Run("closed port", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := listener.Addr().String()
		_ = listener.Close()
		wantProblem(t, look(t, Config{Host: address}), "https://"+address+" does not list its nodes", "refused")
	})
	t.Run("no answer", func(t *testing.T) {
		s.answer(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		d := New(s.config(), Options{RequestTimeout: 50 * time.Millisecond})
		wantProblem(t, d.Look(t.Context(), Query{ProviderID: nodeID}), s.URL+" did not answer in time")
	})
	t.Run("nothing configured", func(t *testing.T) {
		wantProblem(t, look(t, Config{ConfigContent: "junk"}), "config_content", "it is not a kubeconfig")
	})
}

// wait watches until the status is the wanted one.
func wait(t *testing.T, w *Watch, wanted func(Status) bool) Status {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		select {
		case <-w.Fresh():
			if s := w.Status(); wanted(s) {
				return s
			}
		case <-deadline:
			t.Fatalf("last status: %+v", w.Status())
		}
	}
}

func says(part string) func(Status) bool {
	return func(s Status) bool { return strings.Contains(s.Problem, part) }
}

// Each list reads the kubeconfig again: it may not exist yet, may be written later, and may change.
func TestList_kubeconfigAppearsAndChanges(t *testing.T) {
	first, second := newAPIServer(t), newAPIServer(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "kubeconfig")
	config := Config{ConfigPath: path}
	if err := config.Check(); err != nil {
		t.Errorf("a file that is not there yet is refused: %v", err)
	}
	// Renamed into place, so that no list sees half of it.
	replace := func(text string) {
		if err := os.Rename(writeFile(t, path+".new", text), path); err != nil {
			t.Fatal(err)
		}
	}
	w := New(config, Options{Interval: 10 * time.Millisecond}).Watch(t.Context(), Query{ProviderID: nodeID})
	defer w.Stop()
	found := func(s Status) bool { return s.Problem == "" }

	wantProblem(t, wait(t, w, says("does not exist yet")), path)
	replace("\n")
	if err := config.Check(); err != nil {
		t.Errorf("a file that is still empty is refused: %v", err)
	}
	wantProblem(t, wait(t, w, says("still empty")), path)
	replace("junk")
	wantProblem(t, wait(t, w, says("it is not a kubeconfig")), "config_path")
	replace(first.kubeconfig(map[string]any{"token": "wrong-token"}))
	wantProblem(t, wait(t, w, says("401")), first.URL)
	replace(first.kubeconfig(withToken()))
	wantFound(t, wait(t, w, found))
	replace(second.kubeconfig(map[string]any{"token": "wrong-token"}))
	wantProblem(t, wait(t, w, says(second.URL)), "401")
	replace(second.kubeconfig(withToken()))
	wantFound(t, wait(t, w, found))
	replace(second.kubeconfig(map[string]any{"client-certificate": "missing.crt", "client-key": "missing.key"}))
	wantProblem(t, wait(t, w, says("missing.crt")), "can't be used")
}

// Fifty watches cost one list in each interval, and none once they have ended.
func TestList_sharedByAll(t *testing.T) {
	s := newAPIServer(t)
	const interval = 200 * time.Millisecond
	d := New(s.config(), Options{Interval: interval})
	start := time.Now()
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			w := d.Watch(ctx, Query{ProviderID: nodeID})
			defer w.Stop()
			for range 3 {
				wantFound(t, wait(t, w, func(Status) bool { return true }))
			}
		})
	}
	group.Wait()
	if most := int64(time.Since(start)/interval) + 1; s.lists.Load() < 3 || s.lists.Load() > most {
		t.Errorf("%d lists, want 3 to %d", s.lists.Load(), most)
	}
}

// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest/need"
)

const nodeScenario = `
guests:
  - match: "old-*"
    kubernetes_node: {registered: 10s, internal_ip: 10.255.1.9, provider_id: false}
  - match: "*"
    kubernetes_node: {registered: 78s, internal_ip: 10.255.1.7}`

type kubeconfig struct {
	Clusters []struct {
		Cluster struct {
			Server    string `yaml:"server"`
			Authority string `yaml:"certificate-authority-data"`
		} `yaml:"cluster"`
	} `yaml:"clusters"`
	Users []struct {
		User struct {
			Token string `yaml:"token"`
		} `yaml:"user"`
	} `yaml:"users"`
}

// kube is a client of the simulated workload cluster.
type kube struct {
	x      *tower
	config kubeconfig
	http   *http.Client
}

func (x *tower) kube() *kube {
	x.t.Helper()

	_, raw, err := x.send(http.MethodGet, "/_sim/v1/kubeconfig", nil, nil)
	if err != nil {
		x.t.Fatal(err)
	}

	k := &kube{x: x}
	if err := yaml.Unmarshal(raw, &k.config); err != nil {
		x.t.Fatal(err)
	}

	authority, err := base64.StdEncoding.DecodeString(k.config.Clusters[0].Cluster.Authority)
	if err != nil {
		x.t.Fatal(err)
	}

	k.http = clientTrusting(x.t, string(authority))

	return k
}

// clientTrusting returns a client that trusts only one authority.
func clientTrusting(t *testing.T, authority string) *http.Client {
	t.Helper()

	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(authority)) {
		t.Fatal("this is not a certificate")
	}

	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	t.Cleanup(client.CloseIdleConnections)

	return client
}

func (k *kube) get(path, accept string) (int, object) {
	k.x.t.Helper()

	request, err := http.NewRequestWithContext(k.x.t.Context(), http.MethodGet, k.config.Clusters[0].Cluster.Server+path, nil)
	if err != nil {
		k.x.t.Fatal(err)
	}

	request.Header.Set("Authorization", "Bearer "+k.config.Users[0].User.Token)
	request.Header.Set("Accept", accept)

	response, err := k.http.Do(request)
	if err != nil {
		k.x.t.Fatal(err)
	}
	defer response.Body.Close()

	var out object
	if err := json.NewDecoder(response.Body).Decode(&out); err != nil {
		k.x.t.Fatal(err)
	}

	return response.StatusCode, out
}

func (k *kube) names() []string {
	k.x.t.Helper()

	_, list := k.get("/api/v1/nodes", "application/json")
	names := []string{}

	for _, item := range list["items"].([]any) {
		names = append(names, dig(item, "metadata", "name").(string))
	}

	return names
}

func dig(value any, path ...string) any {
	for _, step := range path {
		value = value.(object)[step]
	}

	return value
}

func TestNodeAppearsWhenRegistered(t *testing.T) {
	x := start(t, nodeScenario)
	k := x.kube()
	vm := x.newVM(object{"name": "a"})

	wantStrings(t, "nodes at first", k.names(), []string{})
	x.Advance(78 * second)
	wantStrings(t, "nodes", k.names(), []string{"a"})

	status, node := k.get("/api/v1/nodes/a", "application/json")
	if status != http.StatusOK || dig(node, "spec", "providerID") != "elf://"+vm.LocalID {
		t.Errorf("status %d, node %v", status, node)
	}

	addresses := dig(node, "status", "addresses").([]any)
	if dig(addresses[0], "type") != "InternalIP" || dig(addresses[0], "address") != "10.255.1.7" || dig(addresses[1], "type") != "Hostname" {
		t.Errorf("addresses %v", addresses)
	}

	created, err := time.Parse(time.RFC3339, dig(node, "metadata", "creationTimestamp").(string))
	if err != nil || created.After(x.Now()) {
		t.Errorf("created %v: %v", created, err)
	}
}

func TestNodeWithoutProviderID(t *testing.T) {
	x := start(t, nodeScenario)
	x.newVM(object{"name": "old-1"})
	x.Advance(20 * second)

	_, node := x.kube().get("/api/v1/nodes/old-1", "application/json")
	if _, set := dig(node, "spec").(object)["providerID"]; set {
		t.Errorf("spec %v", dig(node, "spec"))
	}
}

func TestNodeOutlivesItsVMUntilASuccessorRegisters(t *testing.T) {
	x := start(t, nodeScenario)
	k := x.kube()
	x.newVM(object{"name": "old-1"})
	x.Advance(20 * second)
	_, before := k.get("/api/v1/nodes/old-1", "application/json")

	if err := x.DeleteVM("old-1"); err != nil {
		t.Fatal(err)
	}

	x.newVM(object{"name": "old-1"})

	_, between := k.get("/api/v1/nodes/old-1", "application/json")
	if dig(between, "metadata", "uid") != dig(before, "metadata", "uid") {
		t.Error("the node changed before the successor registered")
	}

	x.Advance(20 * second)

	_, after := k.get("/api/v1/nodes/old-1", "application/json")
	if dig(after, "metadata", "uid") == dig(before, "metadata", "uid") ||
		dig(after, "metadata", "creationTimestamp") == dig(before, "metadata", "creationTimestamp") {
		t.Error("the successor took over the old node")
	}
}

func TestNodeIsNotReadyWhileItsVMIsOff(t *testing.T) {
	x := start(t, nodeScenario)
	vm := x.newVM(object{"name": "a"})
	x.Advance(80 * second)

	ready := func() any {
		_, node := x.kube().get("/api/v1/nodes/a", "application/json")

		return dig(dig(node, "status", "conditions").([]any)[0], "status")
	}

	if got := ready(); got != "True" {
		t.Errorf("running: Ready is %v", got)
	}

	x.mustOperate("poweroff-vm", vm.ID)

	if got := ready(); got != "Unknown" {
		t.Errorf("off: Ready is %v", got)
	}
}

func TestKubernetesRefusesWithoutToken(t *testing.T) {
	x := start(t, "")
	k := x.kube()
	k.config.Users[0].User.Token = "wrong"

	if status, body := k.get("/api/v1/nodes", "application/json"); status != http.StatusUnauthorized || body["kind"] != "Status" {
		t.Errorf("status %d: %v", status, body)
	}
}

func TestMissingNodeIsAStatus(t *testing.T) {
	status, body := start(t, "").kube().get("/api/v1/nodes/none", "application/json")
	if status != http.StatusNotFound || body["reason"] != "NotFound" {
		t.Errorf("status %d: %v", status, body)
	}
}

func TestNodeListIsPaged(t *testing.T) {
	x := start(t, nodeScenario)
	for _, name := range []string{"a", "b", "c"} {
		x.newVM(object{"name": name})
	}

	x.Advance(80 * second)
	k := x.kube()
	_, first := k.get("/api/v1/nodes?limit=2", "application/json")
	next := dig(first, "metadata", "continue").(string)
	_, second := k.get("/api/v1/nodes?limit=2&continue="+next, "application/json")

	if len(first["items"].([]any)) != 2 || len(second["items"].([]any)) != 1 {
		t.Errorf("pages %v and %v", first, second)
	}
}

func TestNodeListBySelector(t *testing.T) {
	x := start(t, nodeScenario)
	x.newVM(object{"name": "a"})
	x.newVM(object{"name": "b"})
	x.Advance(80 * second)

	_, list := x.kube().get("/api/v1/nodes?fieldSelector=metadata.name%3Db", "application/json")
	if items := list["items"].([]any); len(items) != 1 || dig(items[0], "metadata", "name") != "b" {
		t.Errorf("got %v", items)
	}
}

func TestNodeTable(t *testing.T) {
	x := start(t, nodeScenario)
	x.newVM(object{"name": "a"})
	x.Advance(80 * second)

	_, table := x.kube().get("/api/v1/nodes", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json")
	if table["kind"] != "Table" || len(table["rows"].([]any)) != 1 {
		t.Errorf("got %v", table)
	}
}

func TestWatchStreamsNewNodes(t *testing.T) {
	x := start(t, nodeScenario)
	k := x.kube()
	x.newVM(object{"name": "a"})

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, k.config.Clusters[0].Cluster.Server+"/api/v1/nodes?watch=true", nil)
	if err != nil {
		t.Fatal(err)
	}

	request.Header.Set("Authorization", "Bearer "+k.config.Users[0].User.Token)

	response, err := k.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	x.Advance(80 * second)

	var event object
	if err := json.NewDecoder(response.Body).Decode(&event); err != nil {
		t.Fatal(err)
	}

	if event["type"] != "ADDED" || dig(event, "object", "metadata", "name") != "a" {
		t.Errorf("got %v", event)
	}
}

func TestKubectlGetNodes(t *testing.T) {
	kubectl := need.Program(t, "kubectl")
	x := start(t, nodeScenario)
	x.newVM(object{"name": "a"})
	x.Advance(80 * second)

	config, err := x.Kubeconfig()
	if err != nil {
		t.Fatal(err)
	}

	home := t.TempDir()

	path := filepath.Join(home, "config")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}

	for _, arguments := range [][]string{{"get", "nodes"}, {"get", "node", "a", "-o", "wide"}, {"get", "nodes", "-o", "yaml"}} {
		command := exec.CommandContext(t.Context(), kubectl, append([]string{"--kubeconfig", path}, arguments...)...)
		command.Env = append(os.Environ(), "HOME="+home)
		command.Stderr = io.Discard

		out, err := command.Output()
		if err != nil || !strings.Contains(string(out), "a") || !strings.Contains(string(out), "Ready") {
			t.Errorf("kubectl %v: %v: %s", arguments, err, out)
		}

		t.Logf("%s", out)
	}
}

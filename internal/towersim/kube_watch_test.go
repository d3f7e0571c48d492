// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// watcher reads the events of one watch.
type watcher struct {
	t      *testing.T
	events *json.Decoder
}

func (k *kube) watch(query string) *watcher {
	k.x.t.Helper()

	request, err := http.NewRequestWithContext(k.x.t.Context(), http.MethodGet, k.config.Clusters[0].Cluster.Server+"/api/v1/nodes?watch=1&"+query, nil)
	if err != nil {
		k.x.t.Fatal(err)
	}

	request.Header.Set("Authorization", "Bearer "+k.config.Users[0].User.Token)

	response, err := k.http.Do(request)
	if err != nil {
		k.x.t.Fatal(err)
	}

	k.x.t.Cleanup(func() { _ = response.Body.Close() })

	return &watcher{t: k.x.t, events: json.NewDecoder(response.Body)}
}

// next returns the type of the next event and its object.
func (w *watcher) next() (event string, node object) {
	w.t.Helper()

	var out object
	if err := w.events.Decode(&out); err != nil {
		w.t.Fatal(err)
	}

	node = out["object"].(object)
	name, _ := dig(node, "metadata", "name").(string)

	return out["type"].(string) + " " + name, node
}

// want reads events and compares them.
func (w *watcher) want(events ...string) {
	w.t.Helper()

	for _, want := range events {
		if got, node := w.next(); got != want {
			w.t.Fatalf("got %s, want %s: %v", got, want, node)
		}
	}
}

func TestWatchSendsChangesOfANode(t *testing.T) {
	x := start(t, nodeScenario)
	k := x.kube()
	w := k.watch("")

	vm := x.newVM(object{"name": "a"})
	x.Advance(80 * second)
	w.want("ADDED a")

	x.mustOperate("poweroff-vm", vm.ID)

	event, node := w.next()
	if ready := dig(dig(node, "status", "conditions").([]any)[0], "status"); event != "MODIFIED a" || ready != "Unknown" {
		t.Errorf("got %s, Ready is %v", event, ready)
	}

	// The node of the successor is another one with the same name.
	x.mustOperate("delete-vm", vm.ID)
	x.newVM(object{"name": "a"})
	x.Advance(80 * second)
	w.want("DELETED a", "ADDED a")

	x.Reset()
	w.want("DELETED a")

	x.newVM(object{"name": "b"})
	x.Advance(80 * second)
	w.want("ADDED b")
}

func TestWatchContinuesFromAList(t *testing.T) {
	x := start(t, nodeScenario)
	k := x.kube()
	vm := x.newVM(object{"name": "a"})
	x.newVM(object{"name": "b"})
	x.Advance(80 * second)

	_, list := k.get("/api/v1/nodes", "application/json")
	since := dig(list, "metadata", "resourceVersion").(string)

	// Changes between the list and the watch are sent as events; unchanged
	// nodes are not.
	x.mustOperate("poweroff-vm", vm.ID)

	w := k.watch("resourceVersion=" + since)
	w.want("MODIFIED a")

	x.newVM(object{"name": "c"})
	x.Advance(80 * second)
	w.want("ADDED c")
}

func TestWatchWithoutAListSendsExistingNodesFirst(t *testing.T) {
	x := start(t, nodeScenario)
	k := x.kube()
	x.newVM(object{"name": "a"})
	x.Advance(80 * second)
	_, list := k.get("/api/v1/nodes", "application/json")

	k.watch("resourceVersion=0").want("ADDED a")

	// Informers ask for a bookmark at the end of the existing objects.
	w := k.watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=")
	w.want("ADDED a")

	event, end := w.next()
	if event != "BOOKMARK " || end["kind"] != "Node" || dig(end, "metadata", "annotations", "k8s.io/initial-events-end") != "true" ||
		dig(end, "metadata", "resourceVersion") != dig(list, "metadata", "resourceVersion") {
		t.Errorf("got %s: %v", event, end)
	}
}

// If a removal that the client has missed is no longer kept, the client is told
// to list the nodes again, as by a real API server.
func TestWatchFromAVersionThatIsTooOldExpires(t *testing.T) {
	x := start(t, nodeScenario)
	k := x.kube()
	x.newVM(object{"name": "a"})
	x.Advance(80 * second)

	_, list := k.get("/api/v1/nodes", "application/json")
	x.RemoveNodes(2000)

	event, status := k.watch("resourceVersion=" + dig(list, "metadata", "resourceVersion").(string)).next()
	if event != "ERROR " || status["code"] != float64(http.StatusGone) || status["reason"] != "Expired" {
		t.Errorf("got %s: %v", event, status)
	}

	// With the list that it gets now, it can continue.
	_, list = k.get("/api/v1/nodes", "application/json")
	w := k.watch("resourceVersion=" + dig(list, "metadata", "resourceVersion").(string))
	x.newVM(object{"name": "b"})
	x.Advance(80 * second)
	w.want("ADDED b")
}

func TestWatchEndsAfterItsTime(t *testing.T) {
	w := start(t, nodeScenario).kube().watch("timeoutSeconds=0")

	var out object
	if err := w.events.Decode(&out); err == nil {
		t.Errorf("got %v", out)
	}
}

func TestWatchOfATable(t *testing.T) {
	x := start(t, nodeScenario)
	k := x.kube()
	x.newVM(object{"name": "a"})
	x.Advance(80 * second)

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, k.config.Clusters[0].Cluster.Server+"/api/v1/nodes?watch=true", nil)
	if err != nil {
		t.Fatal(err)
	}

	request.Header.Set("Authorization", "Bearer "+k.config.Users[0].User.Token)
	request.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json")

	response, err := k.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	var event object
	if err := json.NewDecoder(response.Body).Decode(&event); err != nil {
		t.Fatal(err)
	}

	cells := dig(dig(event, "object", "rows").([]any)[0], "cells").([]any)
	if dig(event, "object", "kind") != "Table" || cells[0] != "a" || cells[1] != "Ready" {
		t.Errorf("got %v", event)
	}
}

func TestNodesByLabelSelector(t *testing.T) {
	x := start(t, nodeScenario)
	x.newVM(object{"name": "a"})
	x.newVM(object{"name": "b"})
	x.Advance(80 * second)
	k := x.kube()

	for selector, want := range map[string]string{
		"":                                   "a b",
		"kubernetes.io/hostname=a":           "a",
		"kubernetes.io/hostname==b":          "b",
		"kubernetes.io/hostname!=a":          "b",
		"kubernetes.io/hostname in (a, b)":   "a b",
		"kubernetes.io/hostname in (a)":      "a",
		"kubernetes.io/hostname notin (a)":   "b",
		"kubernetes.io/os":                   "a b",
		"!kubernetes.io/os":                  "",
		"absent":                             "",
		"!absent, kubernetes.io/os = linux":  "a b",
		"absent!=x":                          "a b",
		"absent notin (x)":                   "a b",
		"kubernetes.io/hostname=a,absent=x":  "",
		" kubernetes.io/hostname in (b ,c) ": "b",
	} {
		_, list := k.get("/api/v1/nodes?labelSelector="+url.QueryEscape(selector), "application/json")

		names := []string{}
		for _, item := range list["items"].([]any) {
			names = append(names, dig(item, "metadata", "name").(string))
		}

		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q selects %q, want %q", selector, got, want)
		}
	}

	for _, selector := range []string{"a=b=c", "a in b", "a in (b", "=a", "a b"} {
		if status, body := k.get("/api/v1/nodes?labelSelector="+url.QueryEscape(selector), "application/json"); status != http.StatusBadRequest {
			t.Errorf("%q is answered with %d: %v", selector, status, body)
		}
	}
}

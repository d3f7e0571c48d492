// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// watchInterval is how often a watch looks for changes, in real time.
const watchInterval = 100 * time.Millisecond

// nodeQuery is what a request for nodes selects, and in which form.
type nodeQuery struct {
	name     string // from a field selector; "" selects all
	labels   labelSelector
	limit    int
	from     string // continue the list after this name
	table    bool
	contents string // a table's includeObject
}

func parseNodeQuery(r *http.Request) (nodeQuery, error) {
	values := r.URL.Query()
	q := nodeQuery{from: values.Get("continue"), contents: values.Get("includeObject")}

	if selector := values.Get("fieldSelector"); selector != "" {
		field, name, _ := strings.Cut(strings.ReplaceAll(selector, "==", "="), "=")
		if field != "metadata.name" {
			return q, fmt.Errorf("field label not supported: %s", field)
		}

		q.name = name
	}

	labels, err := parseLabelSelector(values.Get("labelSelector"))
	if err != nil {
		return q, err
	}

	q.labels = labels

	if text := values.Get("limit"); text != "" {
		limit, err := strconv.Atoi(text)
		if err != nil {
			return q, fmt.Errorf("limit: %q is not a number", text)
		}

		q.limit = limit
	}

	q.table = strings.Contains(r.Header.Get("Accept"), "as=Table")

	return q, nil
}

// nodesNow returns the nodes by name, and the version of the node list.
func (s *Server) nodesNow() (nodes []node, now time.Time, version uint64) {
	s.withWorld(func(w *world) {
		for _, name := range sortedKeys(w.nodes.byName) {
			nodes = append(nodes, *w.nodes.byName[name])
		}

		now, version = w.now, w.nodes.version
	})

	return nodes, now, version
}

func (s *Server) getNode(w http.ResponseWriter, r *http.Request) {
	q, err := parseNodeQuery(r)
	if err != nil {
		sendKube(w, http.StatusBadRequest, kubeStatus(http.StatusBadRequest, "BadRequest", err.Error(), ""))

		return
	}

	name := r.PathValue("name")
	nodes, now, version := s.nodesNow()

	i := slices.IndexFunc(nodes, func(n node) bool { return n.name == name })
	if i < 0 {
		message := fmt.Sprintf("nodes %q not found", name)
		sendKube(w, http.StatusNotFound, kubeStatus(http.StatusNotFound, "NotFound", message, name))

		return
	}

	if q.table {
		sendKube(w, http.StatusOK, nodeTable(nodes[i:i+1], q, now, listMeta(version, "")))

		return
	}

	sendKube(w, http.StatusOK, nodes[i].object(now))
}

func (s *Server) listNodes(w http.ResponseWriter, r *http.Request) {
	q, err := parseNodeQuery(r)
	if err != nil {
		sendKube(w, http.StatusBadRequest, kubeStatus(http.StatusBadRequest, "BadRequest", err.Error(), ""))

		return
	}

	if watch := r.URL.Query().Get("watch"); watch == "true" || watch == "1" {
		s.watchNodes(w, r, q)

		return
	}

	nodes, now, version := s.nodesNow()
	nodes = slices.DeleteFunc(nodes, func(n node) bool { return !q.selects(&n) || n.name <= q.from })
	next := ""

	if q.limit > 0 && len(nodes) > q.limit {
		nodes = nodes[:q.limit]
		next = nodes[q.limit-1].name
	}

	if q.table {
		sendKube(w, http.StatusOK, nodeTable(nodes, q, now, listMeta(version, next)))

		return
	}

	items := []any{}
	for i := range nodes {
		items = append(items, nodes[i].object(now))
	}

	sendKube(w, http.StatusOK, document{
		"kind": "NodeList", "apiVersion": "v1", "metadata": listMeta(version, next), "items": items,
	})
}

func (q *nodeQuery) selects(n *node) bool {
	return (q.name == "" || n.name == q.name) && q.labels.selects(n.labels())
}

func listMeta(version uint64, next string) document {
	meta := document{"resourceVersion": resourceVersion(version)}
	if next != "" {
		meta["continue"] = next
	}

	return meta
}

// watchNodes streams the changes of nodes since the version that the client
// has. If the client has none, it sends all nodes first.
func (s *Server) watchNodes(w http.ResponseWriter, r *http.Request, q nodeQuery) {
	ctx, cancel := s.untilClosed(r.Context())
	defer cancel()

	values := r.URL.Query()
	initial := values.Get("sendInitialEvents") == "true"
	known := uint64(0)

	if shown, err := strconv.ParseUint(values.Get("resourceVersion"), 10, 64); err == nil && shown > 0 && !initial {
		known = shown - 1
	}

	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()

	var expired <-chan time.Time
	if seconds, err := strconv.Atoi(values.Get("timeoutSeconds")); err == nil {
		expired = time.After(time.Duration(seconds) * time.Second)
	}

	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)

	encoder := json.NewEncoder(w)

	for {
		events, now, version, missed := s.nodeEvents(known)

		if missed {
			_ = encoder.Encode(document{"type": "ERROR", "object": kubeStatus(http.StatusGone, "Expired", "too old resource version", "")})

			return
		}

		for _, event := range events {
			if !q.selects(&event.node) {
				continue
			}

			if err := encoder.Encode(q.event(event, now)); err != nil {
				return
			}
		}

		if initial && values.Get("allowWatchBookmarks") == "true" {
			if err := encoder.Encode(initialEventsEnd(version)); err != nil {
				return
			}
		}

		known, initial = max(known, version), false

		flush(w)

		select {
		case <-ctx.Done():
			return
		case <-expired:
			return
		case <-ticker.C:
		}
	}
}

// nodeEvents returns the changes of nodes since a version, and the current
// version. missed is true if some of these changes are not kept any more.
func (s *Server) nodeEvents(after uint64) (events []nodeEvent, now time.Time, version uint64, missed bool) {
	s.withWorld(func(w *world) {
		events, now, version, missed = w.nodes.since(after), w.now, w.nodes.version, w.nodes.missed(after)
	})

	return events, now, version, missed
}

// initialEventsEnd tells an informer that it has received all existing nodes.
func initialEventsEnd(version uint64) document {
	return document{"type": "BOOKMARK", "object": document{
		"kind": "Node", "apiVersion": "v1",
		"metadata": document{
			"resourceVersion": resourceVersion(version), "creationTimestamp": nil,
			"annotations": document{"k8s.io/initial-events-end": "true"},
		},
		"spec": document{}, "status": document{},
	}}
}

func (q *nodeQuery) event(e nodeEvent, now time.Time) document {
	if q.table {
		return document{"type": e.kind, "object": nodeTable([]node{e.node}, *q, now, listMeta(e.node.version, ""))}
	}

	return document{"type": e.kind, "object": e.node.object(now)}
}

// resourceVersion converts a version for clients. It is never 0, which means
// "any version" to them.
func resourceVersion(version uint64) string { return strconv.FormatUint(version+1, 10) }

// object is the node as Kubernetes shows it.
func (n *node) object(now time.Time) document {
	spec := document{}
	if n.providerID != "" {
		spec["providerID"] = n.providerID
	}

	addresses := []document{}
	if n.internalIP != "" {
		addresses = append(addresses, document{"type": "InternalIP", "address": n.internalIP})
	}

	addresses = append(addresses, document{"type": "Hostname", "address": n.name})

	return document{
		"kind": "Node", "apiVersion": "v1", "metadata": n.metadata(), "spec": spec,
		"status": document{
			"addresses": addresses, "conditions": []document{n.condition(now)},
			"nodeInfo": document{
				"kubeletVersion": kubeletVersion, "kubeProxyVersion": kubeletVersion, "osImage": "Rocky Linux 8.10 (Green Obsidian)",
				"operatingSystem": "linux", "architecture": "amd64", "kernelVersion": "4.18.0-553.el8_10.x86_64",
				"containerRuntimeVersion": "containerd://1.7.20", "machineID": n.uid, "systemUUID": n.uid, "bootID": n.uid,
			},
		},
	}
}

func (n *node) metadata() document {
	return document{
		"name": n.name, "uid": n.uid, "resourceVersion": resourceVersion(n.version),
		"creationTimestamp": n.created.UTC().Format(time.RFC3339),
		"labels":            n.labels(),
	}
}

func (n *node) labels() map[string]string {
	return map[string]string{"kubernetes.io/hostname": n.name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
}

func (n *node) condition(now time.Time) document {
	condition := document{
		"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status",
		"lastTransitionTime": n.changed.UTC().Format(time.RFC3339), "lastHeartbeatTime": now.UTC().Format(time.RFC3339),
	}

	if !n.ready {
		condition["status"], condition["reason"] = "Unknown", "NodeStatusUnknown"
		condition["message"] = "Kubelet stopped posting node status."
		condition["lastHeartbeatTime"] = condition["lastTransitionTime"]
	}

	return condition
}

func sendKube(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":500}`)
	}

	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

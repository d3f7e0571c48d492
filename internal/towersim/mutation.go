// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

const (
	// maxMutations is the number of requests that are kept; the oldest are
	// dropped first.
	maxMutations = 10_000
	// maxMutationBody is the size of the largest body that is kept.
	maxMutationBody = 64 << 10
	// maxMutationBytes limits the total size of the kept bodies and lists of
	// VMs.
	maxMutationBytes = 32 << 20
)

// Mutation is a request that asked Tower for a change. It was not answered by a
// fault before it reached Tower.
type Mutation struct {
	// Operation is the last part of the path; "api" is GraphQL.
	Operation string    `json:"operation"`
	At        time.Time `json:"at"` // real time
	// Status is the HTTP status of the answer. An accepted request has status
	// 200, even if its task fails.
	Status int `json:"status"`
	// VMs are the VMs that the request concerns: those that the body names by
	// their ids or by the ids of their NICs, disks or volumes, the members of a
	// placement group before the change, and those that the answer names. If
	// the body is not kept, only those of the answer.
	VMs []MutatedVM `json:"vms"`
	// Body is the request's body; nil if it is not JSON or is longer than 64
	// KiB.
	Body json.RawMessage `json:"body,omitempty"`
}

// MutatedVM is a VM at the time of the request.
type MutatedVM struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// About reports whether the request concerns a VM.
func (m Mutation) About(id string) bool {
	return slices.ContainsFunc(m.VMs, func(v MutatedVM) bool { return v.ID == id })
}

// Mutations returns the requests for changes since the start or the last reset,
// in their order. At most 10,000 requests are kept, fewer if they are very
// large.
func (s *Server) Mutations() []Mutation {
	all := []Mutation{}

	s.withWorld(func(w *world) { all = append(all, w.mutations.list...) })

	return all
}

// isMutation reports whether an operation may change something.
func isMutation(operation *wire.Operation) bool {
	return operation != nil && operation.Method == http.MethodPost && !isRead(operation) &&
		!strings.HasPrefix(operation.Path, "/get-") && operation.Path != "/login"
}

// recordMutation starts to record a request before it is handled, while the
// objects that it names still exist. The returned function completes the
// record.
func (c *call) recordMutation() (done func(out reply)) {
	name, overGraphQL := graphQLName, c.request.URL.Path == graphQLPath

	switch {
	case overGraphQL && !graphQLMutates(c.body), !overGraphQL && !isMutation(c.operation):
		return func(reply) {}
	case !overGraphQL:
		name = c.operation.Path[1:]
	}

	n := mutationRecord{Mutation: Mutation{Operation: name, At: time.Now(), VMs: []MutatedVM{}}, named: map[*vm]bool{}}

	var body any
	if len(c.body) <= maxMutationBody && json.Unmarshal(c.body, &body) == nil {
		n.Body = slices.Clone(c.body)
		eachText(body, func(id string) { c.addVMsOf(&n, id) })
	}

	if overGraphQL {
		eachText(graphQLArguments(c.body), func(id string) { c.addVMsOf(&n, id) })
	}

	return func(out reply) {
		n.Status = out.status
		for _, id := range repliedIDs(out.body) {
			c.addVMsOf(&n, id)
		}

		c.mutations.add(n.Mutation, maxMutations, maxMutationBytes)
	}
}

// mutationRecord is a record that is not complete yet.
type mutationRecord struct {
	Mutation

	named map[*vm]bool
}

func (n *mutationRecord) add(v *vm) {
	if v != nil && !n.named[v] {
		n.named[v] = true
		n.VMs = append(n.VMs, MutatedVM{ID: v.row.ID, Name: v.row.Name})
	}
}

// size returns the approximate size of the record in bytes.
func (m Mutation) size() int {
	const fixed, perVM = 128, 64

	return fixed + len(m.Body) + perVM*len(m.VMs)
}

// addVMsOf adds the VMs that an id belongs to.
func (c *call) addVMsOf(n *mutationRecord, id string) {
	if len(id) != cuidLength {
		return
	}

	if v, ok := c.vms.get(id); ok {
		n.add(v)
	}

	card, ok := c.nics.get(id)
	if !ok {
		card, ok = c.formerNICs[id]
	}

	if ok {
		n.add(card.vm)
	}

	d, ok := c.disks.get(id)
	if !ok {
		d, ok = c.formerDisks[id]
	}

	if ok {
		n.add(d.vm)

		if d.volume != nil {
			c.lastUsers[d.volume.row.ID] = d.vm
		}
	}

	if g, ok := c.groups.get(id); ok && strings.HasSuffix(n.Operation, "-vm-placement-group") {
		for _, member := range g.vms {
			n.add(member)
		}
	}

	if volume, ok := c.volumes.get(id); ok {
		for _, d := range volume.disks {
			n.add(d.vm)
		}

		if len(volume.disks) == 0 {
			// The volume was detached from its VM and is about to be deleted.
			n.add(c.lastUsers[id])
		}
	}
}

// eachText calls f with each string in a decoded JSON value.
func eachText(value any, f func(string)) {
	switch value := value.(type) {
	case string:
		f(value)
	case []any:
		for _, element := range value {
			eachText(element, f)
		}
	case map[string]any:
		for _, key := range sortedKeys(value) {
			eachText(value[key], f)
		}
	}
}

// repliedIDs returns the ids of the objects in a reply.
func repliedIDs(body []byte) []string {
	var replies []struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}

	if json.Unmarshal(body, &replies) != nil {
		return nil
	}

	ids := make([]string, len(replies))
	for i, one := range replies {
		ids[i] = one.Data.ID
	}

	return ids
}

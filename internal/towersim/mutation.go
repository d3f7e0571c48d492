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
	// maxMutations is how many requests are remembered; the oldest go first.
	maxMutations = 10_000
	// maxMutationBody is the largest body that is remembered with its request.
	maxMutationBody = 64 << 10
	// maxMutationBytes is how much room the bodies and the VMs of all may take.
	maxMutationBytes = 32 << 20
)

// Mutation is a request that asked Tower for a change. Those that a fault
// answered before they arrived are not among them.
type Mutation struct {
	// Operation is the last part of the path; "api" is GraphQL.
	Operation string    `json:"operation"`
	At        time.Time `json:"at"` // real time
	// Status is the HTTP status of the answer. That of a request that was accepted
	// is 200, whatever becomes of its task.
	Status int `json:"status"`
	// VMs are those that the change is about: which the body names by their ids or
	// by those of their NICs, disks or volumes, the members that a placement group
	// had before it is changed, and those that the answer names. Of a body that is
	// not remembered, the answer alone counts.
	VMs []MutatedVM `json:"vms"`
	// Body is the request's body, nil where that is no JSON or longer than 64 KiB.
	Body json.RawMessage `json:"body,omitempty"`
}

// MutatedVM is a VM as it was when the request came.
type MutatedVM struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// About tells whether the change is about a VM.
func (m Mutation) About(id string) bool {
	return slices.ContainsFunc(m.VMs, func(v MutatedVM) bool { return v.ID == id })
}

// Mutations returns the requests for changes since the start or the last reset,
// in their order; of more than 10,000, or of very large ones, the last.
func (s *Server) Mutations() []Mutation {
	all := []Mutation{}

	s.withWorld(func(w *world) { all = append(all, w.mutations.list...) })

	return all
}

// mutates tells whether an operation may change something.
func isMutation(operation *wire.Operation) bool {
	return operation != nil && operation.Method == http.MethodPost && !isRead(operation) &&
		!strings.HasPrefix(operation.Path, "/get-") && operation.Path != "/login"
}

// noting starts the record of a request: before it is handled, while what it
// names is still there. The function that it returns ends it.
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

// notes are the record of a request while it is written.
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

// size is about how many bytes the record takes.
func (m Mutation) size() int {
	const fixed, perVM = 128, 64

	return fixed + len(m.Body) + perVM*len(m.VMs)
}

// mention adds the VMs that an id belongs to.
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
			// Taken from its VM, it is deleted next.
			n.add(c.lastUsers[id])
		}
	}
}

// eachText calls f with each text in a decoded JSON value.
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

// repliedIDs are the ids of the objects that an answer is about.
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

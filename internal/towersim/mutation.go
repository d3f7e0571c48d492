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
)

// Mutation is a request that asked Tower for a change. Those that a fault
// answered before they arrived are not among them.
type Mutation struct {
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
// in their order; of more than 10,000 the last ones.
func (s *Server) Mutations() []Mutation {
	var all []Mutation

	s.locked(func(w *world) { all = slices.Clone(w.mutations) })

	return all
}

// mutates tells whether an operation may change something.
func mutates(operation *wire.Operation) bool {
	return operation != nil && operation.Method == http.MethodPost && !isRead(operation) &&
		!strings.HasPrefix(operation.Path, "/get-") && operation.Path != "/login"
}

// noting starts the record of a request: before it is handled, while what it
// names is still there. The function that it returns ends it.
func (c *call) noting() (done func(out reply)) {
	if !mutates(c.operation) {
		return func(reply) {}
	}

	m := Mutation{Operation: c.operation.Path[1:], At: time.Now()}
	var body any
	if len(c.body) <= maxMutationBody && json.Unmarshal(c.body, &body) == nil {
		m.Body = slices.Clone(c.body)
		eachText(body, func(id string) { c.mention(&m, id) })
	}

	return func(out reply) {
		m.Status = out.status
		for _, id := range repliedIDs(out.body) {
			c.mention(&m, id)
		}

		if len(c.mutations) >= maxMutations {
			c.mutations = slices.Delete(c.mutations, 0, maxMutations/10)
		}

		c.mutations = append(c.mutations, m)
	}
}

// mention adds the VMs that an id belongs to.
func (c *call) mention(m *Mutation, id string) {
	if len(id) != cuidLength {
		return
	}

	add := func(v *vm) {
		if v != nil && !m.About(v.row.ID) {
			m.VMs = append(m.VMs, MutatedVM{ID: v.row.ID, Name: v.row.Name})
		}
	}

	if v, ok := c.vms.get(id); ok {
		add(v)
	}

	if n, ok := c.nics.get(id); ok {
		add(n.vm)
	}

	d, ok := c.disks.get(id)
	if !ok {
		d, ok = c.formerDisks[id]
	}

	if ok {
		add(d.vm)

		if d.volume != nil {
			c.lastUsers[d.volume.row.ID] = d.vm
		}
	}

	if g, ok := c.groups.get(id); ok && strings.HasSuffix(m.Operation, "-vm-placement-group") {
		for _, member := range g.vms {
			add(member)
		}
	}

	if volume, ok := c.volumes.get(id); ok {
		for _, d := range volume.disks {
			add(d.vm)
		}

		if len(volume.disks) == 0 {
			// Taken from its VM, it is deleted next.
			add(c.lastUsers[id])
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
		for _, member := range value {
			eachText(member, f)
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

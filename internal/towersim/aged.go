// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/query"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// modelled is the release that the rows are like; replies of older ones
// lack some of their members.
var modelled = version{4, 6, 0}

// aged takes out of a reply what the rows of this Tower's release do not have
// yet.
func (c *call) aged(body []byte) ([]byte, error) {
	entity := c.rowsOf(c.operation)
	if entity == "" || c.version.compare(modelled) >= 0 {
		return body, nil
	}

	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // sizes do not fit into a float

	var reply any
	if err := decoder.Decode(&reply); err != nil {
		return nil, fmt.Errorf("cannot read the reply: %w", err)
	}

	c.age(entity, reply)

	body, err := json.Marshal(reply)
	if err != nil {
		return nil, fmt.Errorf("cannot write the reply: %w", err)
	}

	return body, nil
}

// rowsOf is the entity whose rows are in the replies of an operation, as they
// are or under the id of a task.
func (w *world) rowsOf(o *wire.Operation) string {
	if o == nil || o.Connection {
		return ""
	}

	if o.List {
		return o.Entity
	}

	name := strings.TrimSuffix(strings.TrimPrefix(o.Response, "WithTask["), "]")
	name = strings.TrimSuffix(strings.TrimPrefix(name, "List["), "]")

	for entity := range w.entities {
		if strings.EqualFold(entity, name) {
			return entity
		}
	}

	return ""
}

// age changes rows, lists of them and rows under the id of a task.
func (w *world) age(entity string, reply any) {
	switch x := reply.(type) {
	case []any:
		for _, item := range x {
			w.age(entity, item)
		}
	case map[string]any:
		if _, wrapped := x["task_id"]; wrapped {
			w.age(entity, x["data"])

			return
		}

		w.ageRow(entity, x)
	}
}

func (w *world) ageRow(entity string, row map[string]any) {
	for field := range row {
		if since := query.Since(entity, field); since != "" && query.Older(w.version.String(), since) {
			delete(row, field)
		}
	}

	if w.version.atLeast(4, 1) {
		return
	}

	labels, _ := row["labels"].([]any)
	for _, label := range labels {
		if nested, ok := label.(map[string]any); ok {
			delete(nested, "key")
			delete(nested, "value")
		}
	}
}

// forget drops what a creation says that this Tower's release does not know yet:
// the parameters are open, so that it is no error.
func (p *common) forget(v version) {
	if !v.atLeast(4, 0) {
		p.Owner = nil
	}

	if !v.atLeast(3, 3) {
		p.GPUDevices, p.PCINics, p.VMPlacementGroup = nil, nil, nil
	}
}

// knows refuses a value of an enumeration that is newer than this Tower.
func (w *world) knows(field, value string) error {
	major, minor := 0, 0

	switch {
	case value == string(wire.BusUSB), value == string(wire.VMVolumeElfStoragePolicyTypeEc):
		major, minor = 4, 4
	case strings.HasPrefix(value, "ELF_CP_"):
		major, minor = 4, 0
	}

	if w.version.atLeast(major, minor) {
		return nil
	}

	return badRequest("%s: %q is not known to Tower %s", field, value, w.version)
}

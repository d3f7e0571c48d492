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

// baseVersion is the release that the rows are like. Replies of older releases
// lack some of the members.
var baseVersion = version{4, 6, 0}

// forOlderVersion removes from a reply the members that this Tower's release
// does not have yet.
func (c *call) forOlderVersion(body []byte) ([]byte, error) {
	entity := c.replyEntity(c.operation)
	if entity == "" || c.version.compare(baseVersion) >= 0 {
		return body, nil
	}

	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // a float cannot hold all sizes

	var reply any
	if err := decoder.Decode(&reply); err != nil {
		return nil, fmt.Errorf("cannot read the reply: %w", err)
	}

	c.stripNewer(entity, reply)

	body, err := json.Marshal(reply)
	if err != nil {
		return nil, fmt.Errorf("cannot write the reply: %w", err)
	}

	return body, nil
}

// replyEntity returns the entity whose rows an operation replies with, either
// alone or with the id of a task.
func (w *world) replyEntity(o *wire.Operation) string {
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

// stripNewer removes newer members from a row, a list of rows, or a row with
// the id of a task.
func (w *world) stripNewer(entity string, reply any) {
	switch x := reply.(type) {
	case []any:
		for _, item := range x {
			w.stripNewer(entity, item)
		}
	case map[string]any:
		if _, wrapped := x["task_id"]; wrapped {
			w.stripNewer(entity, x["data"])

			return
		}

		w.stripNewerFields(entity, x)
	}
}

func (w *world) stripNewerFields(entity string, row map[string]any) {
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

// dropUnknown drops the parameters of a creation that this Tower's release does
// not know. They are no error, because the parameters are an open object.
func (p *createParams) dropUnknown(v version) {
	if !v.atLeast(4, 0) {
		p.Owner = nil
	}

	if !v.atLeast(3, 3) {
		p.GPUDevices, p.PCINics, p.VMPlacementGroup = nil, nil, nil
	}
}

// checkKnownValue refuses a value of an enumeration that is newer than this
// Tower.
func (w *world) checkKnownValue(field, value string) error {
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

// guestAddresses is a NIC as Tower shows it since 4.8.
type guestAddresses struct {
	*wire.VMNic

	IPv4 wire.List[string] `json:"guest_info_ip_addresses"`
	IPv6 wire.List[string] `json:"guest_info_ip_addresses_v6"`
}

// forClient returns rows in the client's language and, if this Tower is newer
// than 4.6, with the newer members. The rows themselves are those of 4.6 in
// English.
func (c *call) forClient(name string, rows []any) []any {
	switch name {
	case wire.EntityTask:
		if c.language != "" && c.language != "en-US" {
			return mapSlice(rows, c.translateTask)
		}
	case wire.EntityVMNic:
		if c.version.atLeast(4, 8) {
			return mapSlice(rows, c.withGuestAddresses)
		}
	}

	return rows
}

func (c *call) translateTask(row any) any {
	t, ok := c.tasks.objectOf(row)
	if !ok {
		return row
	}

	shown := t.row
	shown.Description = t.description.in(c.language)

	return &shown
}

func (w *world) withGuestAddresses(row any) any {
	n, ok := w.nics.objectOf(row)
	if !ok {
		return row
	}

	shown := guestAddresses{VMNic: &n.row}
	if n.showsReport && n.row.IPAddress != nil {
		shown.IPv4 = wire.List[string]{*n.row.IPAddress}
	}

	return &shown
}

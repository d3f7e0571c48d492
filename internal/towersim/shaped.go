// SPDX-License-Identifier: MPL-2.0

package towersim

import "github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"

// guestAddresses is a NIC as Towers show it from 4.8 on.
type guestAddresses struct {
	*wire.VMNic

	IPv4 wire.List[string] `json:"guest_info_ip_addresses"`
	IPv6 wire.List[string] `json:"guest_info_ip_addresses_v6"`
}

// shaped returns rows as this Tower's release, if it is a later one than 4.6, and
// the caller's language show them. Rows themselves are those of 4.6 in English.
func (c *call) shaped(name string, rows []any) []any {
	switch name {
	case wire.EntityTask:
		if c.language != "" && c.language != "en-US" {
			return mapped(rows, c.translated)
		}
	case wire.EntityVMNic:
		if c.version.atLeast(4, 8) {
			return mapped(rows, c.withGuestAddresses)
		}
	}

	return rows
}

func (c *call) translated(row any) any {
	t, ok := c.tasks.of(row)
	if !ok {
		return row
	}

	shown := t.row
	shown.Description = t.text.in(c.language)

	return &shown
}

func (w *world) withGuestAddresses(row any) any {
	n, ok := w.nics.of(row)
	if !ok {
		return row
	}

	shown := guestAddresses{VMNic: &n.row}
	if n.told && n.row.IPAddress != nil {
		shown.IPv4 = wire.List[string]{*n.row.IPAddress}
	}

	return &shown
}

// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/poll"
)

// VMObservation is what one look at a watched VM showed.
type VMObservation struct {
	VM   *VM     // nil: not found
	NICs []VMNIC // by Order
}

// watched is an observation, or why there is none. The NICs come in smaller requests than the VMs, and one of
// these that fails leaves the others' observations good.
type watched struct {
	seen VMObservation
	err  error
}

// WatchVM hands each look at a VM to observe until that returns true, when WatchVM returns nil, or until ctx ends. All
// watched VMs share their looks: every PollInterval one get-vms, and one get-vm-nics for each hundred VMs. A look that
// failed is handed on as err; it says nothing about the VM.
func (c *Client) WatchVM(ctx context.Context, vmID string, observe func(obs VMObservation, err error) (done bool)) error {
	if vmID == "" {
		return notFound(c.vms.op, "a VM is watched without its id")
	}
	return c.watches.Wait(ctx, vmID, func(o poll.Observation[watched]) bool {
		switch {
		case o.Err != nil:
			return observe(VMObservation{}, o.Err)
		case o.Value.err != nil:
			return observe(VMObservation{}, o.Value.err)
		}
		return observe(o.Value.seen, nil)
	})
}

// fetchWatched looks at VMs and their NICs.
func (c *Client) fetchWatched(ctx context.Context, ids []string) (map[string]watched, error) {
	list, err := c.vms.fetch(ctx, kindPoll, Where{"id_in": ids})
	if err != nil {
		return nil, err
	}
	out := make(map[string]watched, len(ids))
	found := make([]string, 0, len(list))
	for _, v := range list {
		out[v.ID] = watched{seen: VMObservation{VM: &v}}
		found = append(found, v.ID)
	}
	for chunk := range slices.Chunk(found, readChunk) {
		nics, err := c.nics.fetch(ctx, kindPoll, chunk)
		for _, id := range chunk {
			w := out[id]
			w.seen.NICs, w.err = nics[id], err
			out[id] = w
		}
	}
	return out, nil
}

// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
)

// nicPairs are the NICs of the state that planned ones are.
type nicPairs struct {
	of      []int  // for each planned NIC, -1 for none
	claimed []bool // for each NIC of the state
}

// alike reports whether the planned NIC i may be the NIC k of the state.
type alike func(i, k int) bool

// pair finds for each planned NIC the one of the state that it is, -1 for none:
// by MAC where that is configured, else an imported one that reports the static
// address, else one that is configured the same, else one of the same network,
// type and static address, else the likeliest of what is left, which is then a
// NIC that changes. Of several that are alike, the
// order decides, so that a NIC that is inserted takes nobody's place. One whose
// configured MAC nobody has chooses after those that are content with any.
func (p *nicPlanner) pair() []int {
	pairs := nicPairs{of: make([]int, len(p.planned)), claimed: make([]bool, len(p.state))}
	for i := range pairs.of {
		pairs.of[i] = -1
	}
	pairs.claim(func(i, k int) bool {
		mac := p.config[i].MACAddress.ValueString()
		return mac != "" && strings.EqualFold(p.state[k].MACAddress.ValueString(), mac)
	})
	sameNetwork := func(i, k int) bool { return p.planned[i].VLANID.Equal(p.state[k].VLANID) }
	samePlace := func(i, k int) bool { return i == k }
	for _, anyMAC := range []bool{true, false} {
		for _, match := range []alike{
			p.reportsIts,
			func(i, k int) bool { return p.sameGuest(i, k) && p.sameRest(i, k) && p.reportsAlike(i, k) },
			func(i, k int) bool { return p.sameGuest(i, k) && p.sameRest(i, k) },
			p.sameGuest,
		} {
			among := func(i, k int) bool { return p.config[i].MACAddress.IsNull() == anyMAC && match(i, k) }
			pairs.align(among)
			pairs.claim(among)
		}
	}
	for _, match := range []alike{
		func(i, k int) bool { return samePlace(i, k) && sameNetwork(i, k) },
		samePlace,
		sameNetwork,
		func(_, _ int) bool { return true },
	} {
		pairs.claim(match)
	}
	return pairs.of
}

// sameGuest reports whether two NICs are on the same network with the same type
// and static address.
func (p *nicPlanner) sameGuest(i, k int) bool {
	planned, prior := p.planned[i], p.state[k]
	return planned.VLANID.Equal(prior.VLANID) && p.same(planned.NetworkType, prior.NetworkType, types.StringValue(network.TypeDHCP)) &&
		p.same(planned.IPAddress, prior.IPAddress, types.StringNull())
}

// sameRest reports whether the other arguments of two NICs are the same.
func (p *nicPlanner) sameRest(i, k int) bool {
	planned, prior := p.planned[i], p.state[k]
	for _, pair := range []struct{ planned, prior, def attr.Value }{
		{planned.Netmask, prior.Netmask, types.StringNull()},
		{planned.Gateway, prior.Gateway, types.StringNull()},
		{planned.Routes, prior.Routes, types.ListNull(network.RouteType())},
		{planned.DefaultRoute, prior.DefaultRoute, types.BoolValue(false)},
		{planned.Model, prior.Model, types.StringValue(network.ModelVirtio)},
		{planned.Enabled, prior.Enabled, types.BoolValue(true)},
		{planned.Mirror, prior.Mirror, types.BoolValue(false)},
		{planned.WaitForIP, prior.WaitForIP, types.BoolNull()},
	} {
		if !p.same(pair.planned, pair.prior, pair.def) {
			return false
		}
	}
	return true
}

// reportsIts reports whether an imported NIC, of which nothing tells what it was
// meant to be, reports the static address of the planned one.
func (p *nicPlanner) reportsIts(i, k int) bool {
	static := p.planned[i].IPAddress
	return p.nullMeansUnknown && attrs.IsKnown(static) && p.sameGuest(i, k) && slices.ContainsFunc(p.state[k].IPAddresses.Elements(), static.Equal)
}

// reportsAlike reports whether an imported NIC reports addresses just where the
// planned one is to have some.
func (p *nicPlanner) reportsAlike(i, k int) bool {
	silent := len(p.state[k].IPAddresses.Elements()) == 0
	return p.nullMeansUnknown && silent == (p.planned[i].Type() == network.TypeNone)
}

// claim pairs what is left and alike, in whatever order.
func (n *nicPairs) claim(match alike) {
	for i := range n.of {
		for k := range n.claimed {
			if n.of[i] < 0 && !n.claimed[k] && match(i, k) {
				n.of[i], n.claimed[k] = k, true
			}
		}
	}
}

// align pairs as many as can be of what is left and alike without changing the
// order of any, and of several ways takes the one that leaves most in their
// places.
func (n *nicPairs) align(match alike) {
	const pair, inPlace = 2 * network.MaxNICs, 1
	// best[i][k] is what can be had of the planned NICs from i and the state's from k.
	best := make([][]int, len(n.of)+1)
	for i := range best {
		best[i] = make([]int, len(n.claimed)+1)
	}
	worth := func(i, k int) int {
		switch {
		case n.of[i] >= 0 || n.claimed[k] || !match(i, k):
			return 0
		case i == k:
			return pair + inPlace
		}
		return pair
	}
	for i := len(n.of) - 1; i >= 0; i-- {
		for k := len(n.claimed) - 1; k >= 0; k-- {
			best[i][k] = max(best[i+1][k], best[i][k+1])
			if w := worth(i, k); w > 0 {
				best[i][k] = max(best[i][k], w+best[i+1][k+1])
			}
		}
	}
	for i, k := 0, 0; i < len(n.of) && k < len(n.claimed); {
		w := worth(i, k)
		switch {
		case w > 0 && best[i][k] == w+best[i+1][k+1]:
			n.of[i], n.claimed[k] = k, true
			i, k = i+1, k+1
		case best[i][k] == best[i+1][k]:
			i++
		default:
			k++
		}
	}
}

// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"slices"
	"strconv"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// testNIC is a NIC on a network; changes say what else is configured.
func testNIC(vlan string, changes ...func(*nicModel)) nicModel {
	nic := nicModel{NIC: network.NIC{
		VLANID: types.StringValue(vlan), NetworkType: types.StringNull(), IPAddress: types.StringNull(), Netmask: types.StringNull(), Gateway: types.StringNull(),
		Routes: types.ListNull(network.RouteType()), DefaultRoute: types.BoolNull(), MACAddress: types.StringNull(), Model: types.StringValue(network.ModelVirtio),
		Enabled: types.BoolValue(true), Mirror: types.BoolValue(false), WaitForIP: types.BoolNull(),
	}, IPAddresses: types.ListNull(types.StringType)}
	for _, change := range changes {
		change(&nic)
	}
	return nic
}

// The NICs of the plan are those of the state as far as can be: an inserted one
// takes nobody's place.
func TestNICPlanner_pair(t *testing.T) {
	t.Parallel()
	none := func(n *nicModel) { n.NetworkType = types.StringValue(network.TypeNone) }
	mirror := func(n *nicModel) { n.Mirror = types.BoolValue(true) }
	static := func(address string) func(*nicModel) {
		return func(n *nicModel) {
			n.NetworkType, n.IPAddress, n.Netmask = types.StringValue(network.TypeStatic), types.StringValue(address), types.StringValue("255.255.0.0")
		}
	}
	mac := func(mac string) func(*nicModel) { return func(n *nicModel) { n.MACAddress = types.StringValue(mac) } }
	a, b := testNIC("a"), testNIC("b", none)
	cases := map[string]struct {
		state, planned []nicModel
		want           []int // for each planned NIC the one of the state, -1 for a new one
	}{
		"as they are":                   {[]nicModel{a, b, a}, []nicModel{a, b, a}, []int{0, 1, 2}},
		"one like others in the middle": {[]nicModel{a, b, a}, []nicModel{a, a, b, a}, []int{0, -1, 1, 2}},
		"one like others at the front":  {[]nicModel{b, a, a}, []nicModel{a, b, a, a}, []int{-1, 0, 1, 2}},
		"another kind in the middle":    {[]nicModel{a, a, a}, []nicModel{a, b, a, a}, []int{0, -1, 1, 2}},
		"two of two kinds":              {[]nicModel{a, a}, []nicModel{b, a, b, a}, []int{-1, 0, -1, 1}},
		"one of the middle removed":     {[]nicModel{a, b, a}, []nicModel{a, a}, []int{0, 2}},
		"another order":                 {[]nicModel{a, b}, []nicModel{b, a}, []int{1, 0}},
		"another order of like ones":    {[]nicModel{a, testNIC("a", mirror)}, []nicModel{testNIC("a", mirror), a}, []int{1, 0}},
		"one before that is mirrored":   {[]nicModel{a, a}, []nicModel{testNIC("a", mirror), a, a}, []int{-1, 0, 1}},
		"a changed one":                 {[]nicModel{a, b, a}, []nicModel{a, testNIC("b", none, mirror), a}, []int{0, 1, 2}},
		"a changed one beside a new":    {[]nicModel{a, a}, []nicModel{testNIC("a", mirror), a, b}, []int{0, 1, -1}},
		"static ones by their address": {
			[]nicModel{testNIC("a", static("10.0.0.1")), testNIC("a", static("10.0.0.2"))},
			[]nicModel{testNIC("a", static("10.0.0.3")), testNIC("a", static("10.0.0.1")), testNIC("a", static("10.0.0.2"))},
			[]int{-1, 0, 1},
		},
		"by MAC before all else":  {[]nicModel{testNIC("a", mac("52:54:00:00:00:01")), testNIC("a", mac("52:54:00:00:00:02"))}, []nicModel{testNIC("b", mac("52:54:00:00:00:02")), a}, []int{1, 0}},
		"one whose MAC is gone":   {[]nicModel{testNIC("a", mac("52:54:00:00:00:02"))}, []nicModel{testNIC("a", mac("52:54:00:00:00:01")), a}, []int{-1, 0}},
		"one whose MAC changes":   {[]nicModel{a, a}, []nicModel{testNIC("a", mac("52:54:00:00:00:01")), a}, []int{0, 1}},
		"the other's MAC changes": {[]nicModel{a, a}, []nicModel{a, testNIC("a", mac("52:54:00:00:00:01"))}, []int{0, 1}},
		"none in the state":       {nil, []nicModel{a, b}, []int{-1, -1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range tc.state {
				if tc.state[i].MACAddress.IsNull() {
					tc.state[i].MACAddress = types.StringValue("52:54:00:00:01:0" + strconv.Itoa(i))
				}
			}
			p := nicPlanner{planned: tc.planned, config: tc.planned, state: tc.state}
			if got := p.pair(); !slices.Equal(got, tc.want) {
				t.Errorf("the pairs are %v, want %v", got, tc.want)
			}
		})
	}
}

// A NIC of which not all is known yet puts in question only those that are not
// in their places.
func TestNICPlanner_isOpen(t *testing.T) {
	t.Parallel()
	late := func(n *nicModel) { n.VLANID = types.StringUnknown() }
	mac := func(n *nicModel) { n.MACAddress = types.StringValue("52:54:00:00:00:01") }
	a, b, unknown := testNIC("a"), testNIC("b"), testNIC("", late)
	cases := map[string]struct {
		state, planned []nicModel
		want           []bool
	}{
		"all known":        {[]nicModel{a, b}, []nicModel{b, a}, []bool{false, false}},
		"a new one":        {[]nicModel{a, b}, []nicModel{a, b, unknown}, []bool{false, false, true}},
		"a changed one":    {[]nicModel{a, b}, []nicModel{unknown, b}, []bool{true, false}},
		"in another order": {[]nicModel{a, b, a}, []nicModel{b, a, unknown}, []bool{true, true, true}},
		"told by its MAC":  {[]nicModel{a, testNIC("b", mac)}, []nicModel{testNIC("b", mac), unknown}, []bool{false, true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := nicPlanner{planned: tc.planned, config: tc.planned, state: tc.state}
			for _, nic := range tc.planned {
				p.undetermined = append(p.undetermined, nic.VLANID.IsUnknown())
			}
			for i, edit := range p.compare(t.Context()).edits {
				if open := edit.undetermined || edit.prior == nil; open != tc.want[i] {
					t.Errorf("NIC %d is open: %t, want %t", i, open, tc.want[i])
				}
			}
		})
	}
}

// A NIC that Tower shows with another MAC keeps its place, and a static one has
// lost its address.
func TestRefreshNICs(t *testing.T) {
	t.Parallel()
	with := func(mac string, changes ...func(*nicModel)) nicModel {
		nic := testNIC("a", changes...)
		nic.MACAddress = types.StringValue(mac)
		return nic
	}
	static := func(n *nicModel) {
		n.NetworkType, n.IPAddress = types.StringValue(network.TypeStatic), types.StringValue("10.0.0.1")
	}
	show := func(vlan, mac string) tower.VMNIC { return tower.VMNIC{VLANID: vlan, MAC: mac, Enabled: true} }
	cases := map[string]struct {
		state    []nicModel
		reported []tower.VMNIC
		want     []string // MAC, VLAN and address
	}{
		"in another order": {
			[]nicModel{with("m1", static), with("m2")}, []tower.VMNIC{show("a", "M2"), show("a", "M1")}, []string{"m1 a 10.0.0.1", "m2 a "},
		},
		"one gone":           {[]nicModel{with("m1"), with("m2", static)}, []tower.VMNIC{show("a", "m2")}, []string{"m2 a 10.0.0.1"}},
		"one added":          {[]nicModel{with("m1")}, []tower.VMNIC{show("b", "m3"), show("a", "m1")}, []string{"m1 a ", "m3 b "}},
		"another MAC":        {[]nicModel{with("m1"), with("m2", static)}, []tower.VMNIC{show("a", "m3"), show("a", "m2")}, []string{"m3 a ", "m2 a 10.0.0.1"}},
		"a static one's MAC": {[]nicModel{with("m1", static), with("m2")}, []tower.VMNIC{show("a", "m3"), show("a", "m2")}, []string{"m3 a ", "m2 a "}},
		"no MAC yet":         {[]nicModel{with(""), with("m2")}, []tower.VMNIC{show("a", "m1"), show("a", "m2")}, []string{"m1 a ", "m2 a "}},
		"another network":    {[]nicModel{with("m1", static)}, []tower.VMNIC{show("b", "m1")}, []string{"m1 b 10.0.0.1"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := []string{}
			for _, nic := range refreshNICs(tc.state, tc.reported) {
				got = append(got, nic.MACAddress.ValueString()+" "+nic.VLANID.ValueString()+" "+nic.IPAddress.ValueString())
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("the NICs are %q, want %q", got, tc.want)
			}
		})
	}
}

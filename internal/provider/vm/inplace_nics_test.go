// SPDX-License-Identifier: MPL-2.0

package vm_test

import "fmt"

// nicRows are the changes of NICs.
func nicRows() []inPlaceRow {
	const (
		anew   = "Replace the VM (`terraform taint`, then apply)."
		device = "update-vm-nic-advance-info"
		guest  = "update-vm-nic-basic-info"
		again  = "Take the NIC out, apply, and add a new one; or replace the VM (`terraform taint`, then apply)."
	)
	dhcp := func(more string) args {
		return args{"nics": fmt.Sprintf("[{ vlan_id = local.vlan_default%s }]", more)}
	}
	static := func(last int, more string) args {
		return args{"nics": fmt.Sprintf(`[{ vlan_id = local.vlan_default, network_type = "IPV4", ip_address = "10.255.233.%d", netmask = "255.255.0.0"%s }]`, last, more)}
	}
	route := func(gateway, network, netmask string) string {
		return fmt.Sprintf(`, routes = [{ gateway = %q, network = %q, netmask = %q }]`, gateway, network, netmask)
	}
	const first, second, third = `{ vlan_id = local.vlan_default, network_type = "NONE", mac_address = "52:54:00:00:01:%02x" }`,
		`{ vlan_id = local.vlan_ecp, network_type = "NONE", mac_address = "52:54:00:00:02:%02x" }`, `{ vlan_id = local.vlan_default, network_type = "NONE" }`
	two := func(n int) args {
		return args{"nics": fmt.Sprintf("["+first+", "+second+"]", n, n)}
	}
	return []inPlaceRow{
		{
			argument: "nics", when: "one inserted anywhere", effect: inPlace,
			before: two(1), after: args{"nics": fmt.Sprintf("["+first+", "+third+", "+second+"]", 1, 1)},
			calls: []string{"add-vm-nic vm_nics"},
			tower: map[string]any{"nics.#": 3, "nics.0.mac_address": "52:54:00:00:01:01", "nics.1.mac_address": "52:54:00:00:02:01"},
			advice: "It is appended in Tower; the other NICs are not touched, and only the new one is waited for. The VM tools set a static address in the guest, " +
				"so they must be running (`update-vm-nic-basic-info`).",
		},
		{
			argument: "nics", when: "one removed", effect: inPlace,
			before: two(2), after: args{"nics": fmt.Sprintf("["+second+"]", 2)},
			calls: []string{"remove-vm-nic-by-where"}, tower: map[string]any{"nics.#": 1, "nics.0.mac_address": "52:54:00:00:02:02"},
		},
		{
			argument: "nics", when: "in another order", effect: recorded,
			before: two(3), after: args{"nics": fmt.Sprintf("["+second+", "+first+"]", 3, 3)},
			tower:  map[string]any{"nics.#": 2, "nics.0.mac_address": "52:54:00:00:01:03"},
			advice: "The order of the list lives in the state.",
		},
		{
			argument: "nics", when: "the argument removed", effect: recorded, before: two(4), after: args{"nics": ""},
			tower: map[string]any{"nics.#": 2}, advice: "The NICs stay, and are no longer managed.",
		},
		{
			argument: "nics", when: "defaults written down", effect: recorded,
			before: dhcp(""), after: dhcp(`, network_type = "IPV4_DHCP", model = "VIRTIO", enabled = true, default_route = false`),
		},
		{
			argument: "nics.vlan_id", effect: inPlace,
			before: args{"nics": `[{ vlan_id = local.vlan_default, network_type = "NONE" }]`}, after: args{"nics": `[{ vlan_id = local.vlan_ecp, network_type = "NONE" }]`},
			calls: []string{device + " connect_vlan_id"}, tower: map[string]any{"nics.0.vlan.id": "local.vlan_ecp", "nics.#": 1},
		},
		{
			argument: "nics.network_type", when: "to `IPV4`", effect: inPlace, before: dhcp(""), after: static(1, ""),
			calls: []string{guest + " ip_address,subnet_mask"}, tower: map[string]any{"nics.0.ip_address": "10.255.233.1", "nics.0.subnet_mask": "255.255.0.0"},
			advice: "The VM tools set the address in the guest, so they must be running.",
		},
		{
			argument: "nics.network_type", when: "to `NONE`", effect: recorded, before: dhcp(""), after: dhcp(`, network_type = "NONE"`),
			advice: "The guest keeps its address; the NIC is no longer waited for.",
		},
		{
			argument: "nics.network_type", when: "from `IPV4` to `IPV4_DHCP`", effect: refused, before: static(2, ""), after: dhcp(""),
			refusal: []string{"A static NIC can't change to DHCP", "terraform taint"}, advice: "Tower has no call that lets the guest ask DHCP again. " + again,
		},
		{
			argument: "nics.ip_address", effect: inPlace, before: static(3, ""), after: static(4, ""),
			calls: []string{guest + " ip_address,subnet_mask"}, tower: map[string]any{"nics.0.ip_address": "10.255.233.4"},
			advice: "The VM tools set it in the guest; if they are not running, it is refused at plan. The new address is waited for.",
		},
		{
			argument: "nics.ip_address", when: "while the VM is off", effect: refused,
			before:  args{"nics": static(5, "")["nics"], "power_state": `"STOPPED"`},
			after:   static(6, ""),
			refusal: []string{"The guest can't be configured", "the VM does not run"}, advice: "Start the VM first, or in the same apply.",
		},
		{
			argument: "nics.netmask", effect: inPlace, before: static(7, ""),
			after: args{"nics": `[{ vlan_id = local.vlan_default, network_type = "IPV4", ip_address = "10.255.233.7", netmask = "255.255.255.0" }]`},
			calls: []string{guest + " ip_address,subnet_mask"}, tower: map[string]any{"nics.0.subnet_mask": "255.255.255.0"},
			advice: "Like `ip_address`.",
		},
		{
			argument: "nics.gateway", when: "set or changed", effect: inPlace, before: static(8, ""), after: static(8, `, gateway = "10.255.0.1"`),
			calls: []string{guest + " gateway,ip_address,subnet_mask"}, tower: map[string]any{"nics.0.gateway": "10.255.0.1"},
			advice: "Like `ip_address`.",
		},
		{
			argument: "nics.gateway", when: "removed", effect: refused, before: static(9, `, gateway = "10.255.0.1"`), after: static(9, ""),
			refusal: []string{"A gateway can't be removed", "terraform taint"}, advice: "Tower has no call that removes a gateway from the guest. " + again,
		},
		{
			argument: "nics.routes", when: "of a VM that stays", effect: refused, before: static(10, ""), after: static(10, route("10.255.0.1", "10.9.0.0", "255.255.0.0")),
			refusal: []string{"Routes can't change", "terraform taint"}, advice: "Cloud-init sets them at the first boot. " + anew,
		},
		{
			argument: "nics.routes", when: "beside a change that replaces the VM", effect: replaces,
			before: args{"nics": static(15, "")["nics"], "firmware": `"BIOS"`}, after: args{"nics": static(15, route("10.255.0.1", "10.9.0.0", "255.255.0.0"))["nics"], "firmware": `"UEFI"`},
			advice: "The same holds for everything that is refused for a VM that is not replaced.",
		},
		{
			argument: "nics.routes.gateway", effect: refused,
			before: static(11, route("10.255.0.1", "10.9.0.0", "255.255.0.0")), after: static(11, route("10.255.0.2", "10.9.0.0", "255.255.0.0")),
			refusal: []string{"Routes can't change"}, advice: "Like `routes`.",
		},
		{
			argument: "nics.routes.network", effect: refused,
			before: static(12, route("10.255.0.1", "10.9.0.0", "255.255.0.0")), after: static(12, route("10.255.0.1", "10.8.0.0", "255.255.0.0")),
			refusal: []string{"Routes can't change"}, advice: "Like `routes`.",
		},
		{
			argument: "nics.routes.netmask", effect: refused,
			before: static(13, route("10.255.0.1", "10.9.0.0", "255.255.0.0")), after: static(13, route("10.255.0.1", "10.9.0.0", "255.255.255.0")),
			refusal: []string{"Routes can't change"}, advice: "Like `routes`.",
		},
		{
			argument: "nics.default_route", effect: refused, before: dhcp(""), after: dhcp(", default_route = true"),
			refusal: []string{"The default route can't change", "terraform taint"}, advice: "Cloud-init sets it at the first boot. " + anew,
		},
		{
			argument: "nics.mac_address", effect: inPlace, before: dhcp(""), after: dhcp(`, mac_address = "52:54:00:00:0A:0B"`),
			calls: []string{device + " mac_address"}, tower: map[string]any{"nics.#": 1},
			advice: "The guest sees a new NIC, which is waited for.",
		},
		{
			argument: "nics.model", effect: restarts,
			before: args{"nics": silentNIC}, after: args{"nics": `[{ vlan_id = data.elf_vlan.test.id, network_type = "NONE", model = "E1000" }]`},
			calls: stopped("update-vm-nic model,nic_index"), tower: map[string]any{"nics.0.model": "E1000", "status": "RUNNING"},
		},
		{
			argument: "nics.enabled", when: "to `false`", effect: inPlace, before: dhcp(""), after: dhcp(", enabled = false"),
			calls: []string{device + " enabled"}, tower: map[string]any{"nics.0.enabled": false},
		},
		{
			argument: "nics.enabled", when: "to `true`", effect: inPlace, before: dhcp(", enabled = false"), after: dhcp(""),
			calls: []string{device + " enabled"}, tower: map[string]any{"nics.0.enabled": true}, advice: "Its address is waited for.",
		},
		{
			argument: "nics.mirror", effect: inPlace, before: dhcp(""), after: dhcp(", mirror = true"),
			calls: []string{device + " mirror"}, tower: map[string]any{"nics.0.mirror": true},
		},
		{argument: "nics.wait_for_ip", effect: recorded, before: dhcp(", wait_for_ip = false"), after: dhcp(""), advice: "If the NIC is to be waited for, that apply waits."},
	}
}

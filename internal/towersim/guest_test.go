// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// run makes a running VM and returns it with the instant of its power-on.
func (x *tower) run(vm object) (wire.VM, time.Time) {
	x.t.Helper()

	made := x.made(vm)

	return made, *x.report(made.Name).PoweredOnAt
}

// at moves the clock to an offset from an instant.
func (x *tower) at(since time.Time, offset time.Duration) {
	x.t.Helper()

	d := since.Add(offset).Sub(x.Now())
	if d < 0 {
		x.t.Fatalf("%s after %s has passed", offset, since)
	}

	x.Advance(d)
}

func (x *tower) report(name string) towersim.VMReport {
	x.t.Helper()

	for _, report := range x.VMs() {
		if report.Name == name {
			return report
		}
	}

	x.t.Fatalf("no VM %q is reported", name)

	return towersim.VMReport{}
}

// networks are the parameters of a VM with one NIC for each network of
// cloud-init, all on the VM network default.
func (x *tower) networks(networks ...object) object {
	x.t.Helper()

	nics := []object{}

	for i := range networks {
		networks[i]["nic_index"] = i
		nics = append(nics, object{"connect_vlan_id": x.idOf("get-vlans", "default")})
	}

	return object{"vm_nics": nics, "cloud_init": object{"networks": networks}}
}

func TestDHCPAddressFollowsTiming(t *testing.T) {
	x := start(t, "timing: {boot: 20s, dhcp: 2s, vmtools_sync: 60s}")
	vm, on := x.run(object{})

	x.at(on, 82*second-1)
	same(t, "just before", x.addresses(vm.ID), []string{""})

	if nic := x.report("vm").NICs[0]; nic.LeasedAt == nil || !nic.LeasedAt.Equal(on.Add(22*second)) || nic.ReportedAt != nil {
		t.Errorf("the NIC's history is %+v", nic)
	}

	x.at(on, 82*second)
	same(t, "then", x.addresses(vm.ID), []string{"10.255.0.2"})

	nic := x.nics(vm.ID)[0]
	if text(nic.SubnetMask) != "255.255.0.0" || text(nic.Gateway) != "10.255.0.1" {
		t.Errorf("got %+v", nic)
	}

	if nic := x.report("vm").NICs[0]; !nic.ReportedAt.Equal(on.Add(82 * second)) {
		t.Errorf("reported at %v", nic.ReportedAt)
	}
}

func TestStaticAddressIsUpAtBoot(t *testing.T) {
	x := start(t, "timing: {boot: 20s, dhcp: 2s, vmtools_sync: 60s}")
	vm, on := x.run(x.networks(object{
		"type": "IPV4", "ip_address": "10.1.0.5", "netmask": "255.255.255.0",
		"routes": []object{{"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": "10.1.0.1"}},
	}))

	x.at(on, 80*second-1)
	same(t, "just before", x.addresses(vm.ID), []string{""})
	x.at(on, 80*second)
	same(t, "then", x.addresses(vm.ID), []string{"10.1.0.5"})

	nic := x.nics(vm.ID)[0]
	if text(nic.SubnetMask) != "255.255.255.0" || text(nic.Gateway) != "10.1.0.1" {
		t.Errorf("got %+v", nic)
	}
}

func TestGuestLineDecidesAddressAndTimes(t *testing.T) {
	x := start(t, `guests: [{match: "ecp-*", nics: [{index: 0, address: 10.255.1.7, dhcp: 5s, reported: 127s}]}]`)
	vm, on := x.run(object{"name": "ecp-1"})

	x.at(on, 5*second)

	if nic := x.report("ecp-1").NICs[0]; nic.LeasedAt == nil || text(nic.Address) != "10.255.1.7" {
		t.Errorf("after 5s: %+v", nic)
	}

	x.at(on, 127*second-1)
	same(t, "just before", x.addresses(vm.ID), []string{""})
	x.at(on, 127*second)
	same(t, "then", x.addresses(vm.ID), []string{"10.255.1.7"})
}

func TestGuestLineWithLeaseOnlyIsReportedAfterSync(t *testing.T) {
	x := start(t, `{timing: {vmtools_sync: 60s}, guests: [{match: "*", nics: [{index: 0, dhcp: 5s}]}]}`)
	vm, on := x.run(object{})

	x.at(on, 65*second-1)
	same(t, "just before", x.addresses(vm.ID), []string{""})
	x.at(on, 65*second)
	same(t, "then", x.addresses(vm.ID), []string{"10.255.0.2"})
}

func TestNICWithoutLineFollowsTiming(t *testing.T) {
	x := start(t, `guests: [{match: "*", nics: [{index: 0, reported: 5s}]}]`)
	vm, on := x.run(x.networks(object{"type": "IPV4_DHCP"}, object{"type": "IPV4_DHCP"}))

	x.at(on, 82*second-1)
	same(t, "just before", x.addresses(vm.ID), []string{"10.255.0.2", ""})
	x.at(on, 82*second)
	same(t, "then", x.addresses(vm.ID), []string{"10.255.0.2", "10.255.0.3"})
}

func TestNeverHappens(t *testing.T) {
	for name, line := range map[string]string{
		"no lease":  "{index: 0, dhcp: never, reported: 5s}",
		"no report": "{index: 0, dhcp: 5s, reported: never}",
	} {
		x := start(t, `guests: [{match: "*", nics: [`+line+`]}]`)
		vm := x.made(object{})
		x.Advance(24 * time.Hour)

		if got := x.addresses(vm.ID); got[0] != "" {
			t.Errorf("%s: %q is reported", name, got)
		}

		if leased := x.report("vm").NICs[0].LeasedAt != nil; leased != (name == "no report") {
			t.Errorf("%s: leased is %v", name, leased)
		}
	}
}

func TestLinkLocalFirst(t *testing.T) {
	x := start(t, `guests: [{match: "*", nics: [{index: 0, address: 10.255.1.7, reported: 127s, link_local_first: true}]}]`)
	vm, on := x.run(object{})
	x.at(on, 60*second)

	if got := x.addresses(vm.ID)[0]; !strings.HasPrefix(got, "169.254.") {
		t.Errorf("%q is shown", got)
	}

	if nic := x.report("vm").NICs[0]; nic.ReportedAt != nil {
		t.Error("the link-local address counts as a report")
	}

	x.at(on, 127*second)
	same(t, "then", x.addresses(vm.ID), []string{"10.255.1.7"})
}

func TestNICsThatNeverGetAnAddress(t *testing.T) {
	x := start(t, "")

	for name, nic := range map[string]object{
		"disabled": {"connect_vlan_id": x.idOf("get-vlans", "default"), "enabled": false},
		"no DHCP":  {"connect_vlan_id": x.idOf("get-vlans", "ecp")},
	} {
		vm := x.made(object{"name": name, "vm_nics": []object{nic}})
		x.Advance(time.Hour)
		same(t, name, x.addresses(vm.ID), []string{""})
	}
}

func TestNICThatCloudInitLeavesOutStaysSilent(t *testing.T) {
	x := start(t, "")
	params := x.networks(object{"type": "IPV4_DHCP"}, object{"type": "IPV4_DHCP"})
	params["cloud_init"] = object{"networks": []object{{"type": "IPV4_DHCP", "nic_index": 1}}}
	vm := x.made(params)
	x.Advance(time.Hour)
	same(t, "addresses", x.addresses(vm.ID), []string{"", "10.255.0.2"})
}

func TestFlatListHoldsMoreThanTheNICs(t *testing.T) {
	x := start(t, `guests: [{match: "*", extra_ips: [172.17.0.1]}]`)
	vm, on := x.run(object{})

	if vm.IPs != "" {
		t.Errorf("at first: %q", vm.IPs)
	}

	x.at(on, 90*second)

	if got := x.vm(vm.ID).IPs; got != "127.0.0.1,10.255.0.2,172.17.0.1" {
		t.Errorf("then: %q", got)
	}
}

func TestToolsComeUpWithTheFirstReport(t *testing.T) {
	x := start(t, "")
	vm, on := x.run(object{})

	if vm.VMToolsStatus != wire.VMToolsStatusNotRunning {
		t.Errorf("at first: %s", vm.VMToolsStatus)
	}

	x.at(on, 82*second)

	if vm := x.vm(vm.ID); vm.VMToolsStatus != wire.VMToolsStatusRunning || vm.VMToolsVersion == nil || vm.OS == nil {
		t.Errorf("then: %s", vm.VMToolsStatus)
	}
}

func TestToolsComeUpWithoutAnyAddress(t *testing.T) {
	x := start(t, "")
	vm, on := x.run(object{"vm_nics": []object{}})
	x.at(on, 80*second)

	if vm := x.vm(vm.ID); vm.VMToolsStatus != wire.VMToolsStatusRunning || vm.IPs != "127.0.0.1" {
		t.Errorf("got %s, %q", vm.VMToolsStatus, vm.IPs)
	}
}

func TestWithoutToolsNothingIsReported(t *testing.T) {
	for tools, want := range map[string]wire.VMToolsStatus{
		"not_running": wire.VMToolsStatusNotRunning, "not_installed": wire.VMToolsStatusNotInstalled,
	} {
		x := start(t, `guests: [{match: "*", vmtools: `+tools+`, nics: [{index: 0, reported: 5s}]}]`)
		vm := x.made(object{})
		x.Advance(time.Hour)
		same(t, tools, x.addresses(vm.ID), []string{""})

		if vm := x.vm(vm.ID); vm.VMToolsStatus != want || vm.IPs != "" {
			t.Errorf("%s: %s, %q", tools, vm.VMToolsStatus, vm.IPs)
		}
	}
}

func TestGuestSwitchesItselfOff(t *testing.T) {
	x := start(t, `guests: [{match: "*", powers_off: 30s}]`)
	vm, on := x.run(object{})
	x.at(on, 30*second)

	if vm := x.vm(vm.ID); vm.Status != wire.VMStatusStopped {
		t.Errorf("the VM is %s", vm.Status)
	}

	x.Advance(time.Hour)
	same(t, "addresses", x.addresses(vm.ID), []string{""})
}

func TestAddressesVanishAtPowerOffAndComeAnew(t *testing.T) {
	x := start(t, "")
	vm, on := x.run(object{})
	x.at(on, 90*second)
	x.done("poweroff-vm", vm.ID)
	same(t, "off", x.addresses(vm.ID), []string{""})

	if vm := x.vm(vm.ID); vm.IPs != "" || vm.VMToolsStatus != wire.VMToolsStatusNotRunning {
		t.Errorf("off: %q, %s", vm.IPs, vm.VMToolsStatus)
	}

	if nic := x.report("vm").NICs[0]; nic.ReportedAt == nil {
		t.Error("the history of the last power-on is lost")
	}

	x.done("start-vm", vm.ID)

	again := *x.report("vm").PoweredOnAt
	if !again.After(on) || x.report("vm").NICs[0].ReportedAt != nil {
		t.Errorf("powered on at %s, then at %s", on, again)
	}

	x.at(again, 82*second-1)
	same(t, "just before", x.addresses(vm.ID), []string{""})
	x.at(again, 82*second)
	same(t, "the same lease", x.addresses(vm.ID), []string{"10.255.0.2"})
}

func TestStaleAddressesSurviveAPowerOff(t *testing.T) {
	x := start(t, "stale_addresses: true")
	vm, on := x.run(object{})
	x.at(on, 90*second)
	x.done("poweroff-vm", vm.ID)
	same(t, "off", x.addresses(vm.ID), []string{"10.255.0.2"})
	x.done("start-vm", vm.ID)
	same(t, "on", x.addresses(vm.ID), []string{"10.255.0.2"})
}

func TestLeaseCanChangeOnRestart(t *testing.T) {
	x := start(t, `guests: [{match: "*", nics: [{index: 0, new_lease: true}]}]`)
	vm, on := x.run(object{})
	x.at(on, 90*second)
	x.done("restart-vm", vm.ID)
	x.Advance(90 * second)
	same(t, "after the restart", x.addresses(vm.ID), []string{"10.255.0.3"})
}

func TestSuspensionHoldsTheStoryUp(t *testing.T) {
	x := start(t, "")
	vm, on := x.run(object{})
	x.at(on, 50*second)
	x.operateWithoutWaiting("suspend-vm", vm.ID) // takes effect at 52s
	x.Advance(time.Hour)
	same(t, "suspended", x.addresses(vm.ID), []string{""})
	x.operateWithoutWaiting("resume-vm", vm.ID)
	x.Advance(2*second + 30*second - 1) // 30s are left
	same(t, "just before", x.addresses(vm.ID), []string{""})
	x.Advance(1)
	same(t, "then", x.addresses(vm.ID), []string{"10.255.0.2"})
}

func TestDHCPGivesDistinctAddresses(t *testing.T) {
	x := start(t, `{timing: {vmtools_sync: 1s}, guests: [{match: fixed, nics: [{index: 0, address: 10.255.0.3}]}]}`)
	seen := map[string]bool{}

	for _, name := range []string{"a", "fixed", "b", "c"} {
		x.made(object{"name": name})
	}

	x.Advance(time.Minute)

	for _, nic := range post[[]wire.VMNic](x, "get-vm-nics", object{}) {
		if address := text(nic.IPAddress); address == "" || seen[address] {
			t.Errorf("%q is given twice or not at all", address)
		} else {
			seen[address] = true
		}
	}
}

func TestExhaustedRangeGivesNothing(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1, vlans: [{name: default, dhcp: 10.0.0.0/30}]}]}")
	a, b := x.made(object{"name": "a"}), x.made(object{"name": "b"})
	x.Advance(time.Hour)
	same(t, "first", x.addresses(a.ID), []string{"10.0.0.2"})
	same(t, "second", x.addresses(b.ID), []string{""})
	x.done("delete-vm", a.ID)
	x.done("force-restart-vm", b.ID)
	x.Advance(time.Hour)
	same(t, "second, once the first is gone", x.addresses(b.ID), []string{"10.0.0.2"})
}

func TestVMsOfTheScenarioRunFromTheStart(t *testing.T) {
	x := start(t, "inventory: {vms: [{name: a}, {name: b, power: STOPPED, nics: [ecp]}]}")
	vms := x.vms(object{})

	if len(vms) != 2 || vms[0].Status != wire.VMStatusRunning || vms[1].Status != wire.VMStatusStopped || len(vms[0].LocalID) != 36 {
		t.Fatalf("got %+v", vms)
	}

	x.Advance(82 * second)
	same(t, "addresses", x.addresses(vms[0].ID), []string{"10.255.0.2"})
}

func TestNewerTowersListGuestAddresses(t *testing.T) {
	x := start(t, "version: 4.8.0")
	vm, on := x.run(object{})

	type nic struct {
		V4 []string `json:"guest_info_ip_addresses"`
		V6 []string `json:"guest_info_ip_addresses_v6"`
	}

	first := post[[]nic](x, "get-vm-nics", object{"where": object{"vm": object{"id": vm.ID}}})
	if first[0].V4 == nil || len(first[0].V4) != 0 || first[0].V6 == nil {
		t.Errorf("at first: %+v", first)
	}

	x.at(on, 90*second)

	then := post[[]nic](x, "get-vm-nics", object{"where": object{"vm": object{"id": vm.ID}}})
	same(t, "then", then[0].V4, []string{"10.255.0.2"})
}

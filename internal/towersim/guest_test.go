// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// newRunningVM creates a running VM and returns it with the time of its
// power-on.
func (x *tower) newRunningVM(vm object) (wire.VM, time.Time) {
	x.t.Helper()

	made := x.newVM(vm)

	return made, *x.report(made.Name).PoweredOnAt
}

// advanceTo moves the clock to a time since a given one.
func (x *tower) advanceTo(since time.Time, offset time.Duration) {
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

// networks returns the parameters of a VM with one NIC for each network of
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
	vm, on := x.newRunningVM(object{})

	x.advanceTo(on, 82*second-1)
	wantStrings(t, "just before", x.addresses(vm.ID), []string{""})

	if nic := x.report("vm").NICs[0]; nic.LeasedAt == nil || !nic.LeasedAt.Equal(on.Add(22*second)) || nic.ReportedAt != nil {
		t.Errorf("the NIC's history is %+v", nic)
	}

	x.advanceTo(on, 82*second)
	wantStrings(t, "then", x.addresses(vm.ID), []string{"10.255.0.2"})

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
	vm, on := x.newRunningVM(x.networks(object{
		"type": "IPV4", "ip_address": "10.1.0.5", "netmask": "255.255.255.0",
		"routes": []object{{"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": "10.1.0.1"}},
	}))

	x.advanceTo(on, 80*second-1)
	wantStrings(t, "just before", x.addresses(vm.ID), []string{""})
	x.advanceTo(on, 80*second)
	wantStrings(t, "then", x.addresses(vm.ID), []string{"10.1.0.5"})

	nic := x.nics(vm.ID)[0]
	if text(nic.SubnetMask) != "255.255.255.0" || text(nic.Gateway) != "10.1.0.1" {
		t.Errorf("got %+v", nic)
	}
}

func TestGuestSettingsDecideAddressAndTimes(t *testing.T) {
	x := start(t, `guests: [{match: "ecp-*", nics: [{index: 0, address: 10.255.1.7, dhcp: 5s, reported: 127s}]}]`)
	vm, on := x.newRunningVM(object{"name": "ecp-1"})

	x.advanceTo(on, 5*second)

	if nic := x.report("ecp-1").NICs[0]; nic.LeasedAt == nil || text(nic.Address) != "10.255.1.7" {
		t.Errorf("after 5s: %+v", nic)
	}

	x.advanceTo(on, 127*second-1)
	wantStrings(t, "just before", x.addresses(vm.ID), []string{""})
	x.advanceTo(on, 127*second)
	wantStrings(t, "then", x.addresses(vm.ID), []string{"10.255.1.7"})
}

func TestGuestSettingsWithLeaseOnlyAreReportedAfterSync(t *testing.T) {
	x := start(t, `{timing: {vmtools_sync: 60s}, guests: [{match: "*", nics: [{index: 0, dhcp: 5s}]}]}`)
	vm, on := x.newRunningVM(object{})

	x.advanceTo(on, 65*second-1)
	wantStrings(t, "just before", x.addresses(vm.ID), []string{""})
	x.advanceTo(on, 65*second)
	wantStrings(t, "then", x.addresses(vm.ID), []string{"10.255.0.2"})
}

func TestNICWithoutSettingsFollowsTiming(t *testing.T) {
	x := start(t, `guests: [{match: "*", nics: [{index: 0, reported: 5s}]}]`)
	vm, on := x.newRunningVM(x.networks(object{"type": "IPV4_DHCP"}, object{"type": "IPV4_DHCP"}))

	x.advanceTo(on, 82*second-1)
	wantStrings(t, "just before", x.addresses(vm.ID), []string{"10.255.0.2", ""})
	x.advanceTo(on, 82*second)
	wantStrings(t, "then", x.addresses(vm.ID), []string{"10.255.0.2", "10.255.0.3"})
}

func TestNeverHappens(t *testing.T) {
	for name, line := range map[string]string{
		"no lease":  "{index: 0, dhcp: never, reported: 5s}",
		"no report": "{index: 0, dhcp: 5s, reported: never}",
	} {
		x := start(t, `guests: [{match: "*", nics: [`+line+`]}]`)
		vm := x.newVM(object{})
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
	vm, on := x.newRunningVM(object{})
	x.advanceTo(on, 60*second)

	if got := x.addresses(vm.ID)[0]; !strings.HasPrefix(got, "169.254.") {
		t.Errorf("%q is shown", got)
	}

	if nic := x.report("vm").NICs[0]; nic.ReportedAt != nil {
		t.Error("the link-local address counts as a report")
	}

	x.advanceTo(on, 127*second)
	wantStrings(t, "then", x.addresses(vm.ID), []string{"10.255.1.7"})
}

func TestNICsThatNeverGetAnAddress(t *testing.T) {
	x := start(t, "")

	for name, nic := range map[string]object{
		"disabled": {"connect_vlan_id": x.idOf("get-vlans", "default"), "enabled": false},
		"no DHCP":  {"connect_vlan_id": x.idOf("get-vlans", "ecp")},
	} {
		vm := x.newVM(object{"name": name, "vm_nics": []object{nic}})
		x.Advance(time.Hour)
		wantStrings(t, name, x.addresses(vm.ID), []string{""})
	}
}

func TestNICThatCloudInitOmitsGetsNoAddress(t *testing.T) {
	x := start(t, "")
	params := x.networks(object{"type": "IPV4_DHCP"}, object{"type": "IPV4_DHCP"})
	params["cloud_init"] = object{"networks": []object{{"type": "IPV4_DHCP", "nic_index": 1}}}
	vm := x.newVM(params)
	x.Advance(time.Hour)
	wantStrings(t, "addresses", x.addresses(vm.ID), []string{"", "10.255.0.2"})
}

func TestListOfAddressesHoldsMoreThanTheNICs(t *testing.T) {
	x := start(t, `guests: [{match: "*", extra_ips: [172.17.0.1]}]`)
	vm, on := x.newRunningVM(object{})

	if vm.IPs != "" {
		t.Errorf("at first: %q", vm.IPs)
	}

	x.advanceTo(on, 90*second)

	if got := x.vm(vm.ID).IPs; got != "127.0.0.1,10.255.0.2,172.17.0.1" {
		t.Errorf("then: %q", got)
	}
}

func TestToolsComeUpWithTheFirstReport(t *testing.T) {
	x := start(t, "")
	vm, on := x.newRunningVM(object{})

	if vm.VMToolsStatus != wire.VMToolsStatusNotRunning {
		t.Errorf("at first: %s", vm.VMToolsStatus)
	}

	x.advanceTo(on, 82*second)

	if vm := x.vm(vm.ID); vm.VMToolsStatus != wire.VMToolsStatusRunning || vm.VMToolsVersion == nil || vm.OS == nil {
		t.Errorf("then: %s", vm.VMToolsStatus)
	}
}

func TestToolsComeUpWithoutAnyAddress(t *testing.T) {
	x := start(t, "")
	vm, on := x.newRunningVM(object{"vm_nics": []object{}})
	x.advanceTo(on, 80*second)

	if vm := x.vm(vm.ID); vm.VMToolsStatus != wire.VMToolsStatusRunning || vm.IPs != "127.0.0.1" {
		t.Errorf("got %s, %q", vm.VMToolsStatus, vm.IPs)
	}
}

func TestWithoutToolsNothingIsReported(t *testing.T) {
	for tools, want := range map[string]wire.VMToolsStatus{
		"not_running": wire.VMToolsStatusNotRunning, "not_installed": wire.VMToolsStatusNotInstalled,
	} {
		x := start(t, `guests: [{match: "*", vmtools: `+tools+`, nics: [{index: 0, reported: 5s}]}]`)
		vm := x.newVM(object{})
		x.Advance(time.Hour)
		wantStrings(t, tools, x.addresses(vm.ID), []string{""})

		if vm := x.vm(vm.ID); vm.VMToolsStatus != want || vm.IPs != "" {
			t.Errorf("%s: %s, %q", tools, vm.VMToolsStatus, vm.IPs)
		}
	}
}

func TestGuestSwitchesItselfOff(t *testing.T) {
	x := start(t, `guests: [{match: "*", powers_off: 30s}]`)
	vm, on := x.newRunningVM(object{})
	x.advanceTo(on, 30*second)

	if vm := x.vm(vm.ID); vm.Status != wire.VMStatusStopped {
		t.Errorf("the VM is %s", vm.Status)
	}

	x.Advance(time.Hour)
	wantStrings(t, "addresses", x.addresses(vm.ID), []string{""})
}

func TestAddressesVanishAtPowerOffAndComeBack(t *testing.T) {
	x := start(t, "")
	vm, on := x.newRunningVM(object{})
	x.advanceTo(on, 90*second)
	x.mustOperate("poweroff-vm", vm.ID)
	wantStrings(t, "off", x.addresses(vm.ID), []string{""})

	if vm := x.vm(vm.ID); vm.IPs != "" || vm.VMToolsStatus != wire.VMToolsStatusNotRunning {
		t.Errorf("off: %q, %s", vm.IPs, vm.VMToolsStatus)
	}

	if nic := x.report("vm").NICs[0]; nic.ReportedAt == nil {
		t.Error("the history of the last power-on is lost")
	}

	x.mustOperate("start-vm", vm.ID)

	again := *x.report("vm").PoweredOnAt
	if !again.After(on) || x.report("vm").NICs[0].ReportedAt != nil {
		t.Errorf("powered on at %s, then at %s", on, again)
	}

	x.advanceTo(again, 82*second-1)
	wantStrings(t, "just before", x.addresses(vm.ID), []string{""})
	x.advanceTo(again, 82*second)
	wantStrings(t, "the same lease", x.addresses(vm.ID), []string{"10.255.0.2"})
}

func TestStaleAddressesSurviveAPowerOff(t *testing.T) {
	x := start(t, "stale_addresses: true")
	vm, on := x.newRunningVM(object{})
	x.advanceTo(on, 90*second)
	x.mustOperate("poweroff-vm", vm.ID)
	wantStrings(t, "off", x.addresses(vm.ID), []string{"10.255.0.2"})
	x.mustOperate("start-vm", vm.ID)
	wantStrings(t, "on", x.addresses(vm.ID), []string{"10.255.0.2"})
}

func TestLeaseCanChangeOnRestart(t *testing.T) {
	x := start(t, `guests: [{match: "*", nics: [{index: 0, new_lease: true}]}]`)
	vm, on := x.newRunningVM(object{})
	x.advanceTo(on, 90*second)
	x.mustOperate("restart-vm", vm.ID)
	x.Advance(90 * second)
	wantStrings(t, "after the restart", x.addresses(vm.ID), []string{"10.255.0.3"})
}

func TestSuspensionDelaysTheGuest(t *testing.T) {
	x := start(t, "")
	vm, on := x.newRunningVM(object{})
	x.advanceTo(on, 50*second)
	x.operateWithoutWaiting("suspend-vm", vm.ID) // takes effect at 52s
	x.Advance(time.Hour)
	wantStrings(t, "suspended", x.addresses(vm.ID), []string{""})
	x.operateWithoutWaiting("resume-vm", vm.ID)
	x.Advance(2*second + 30*second - 1) // 30s are left
	wantStrings(t, "just before", x.addresses(vm.ID), []string{""})
	x.Advance(1)
	wantStrings(t, "then", x.addresses(vm.ID), []string{"10.255.0.2"})
}

func TestDHCPGivesDistinctAddresses(t *testing.T) {
	x := start(t, `{timing: {vmtools_sync: 1s}, guests: [{match: fixed, nics: [{index: 0, address: 10.255.0.3}]}]}`)
	seen := map[string]bool{}

	for _, name := range []string{"a", "fixed", "b", "c"} {
		x.newVM(object{"name": name})
	}

	x.Advance(time.Minute)

	for _, nic := range post[[]wire.VMNic](x, "get-vm-nics", object{}) {
		if address := text(nic.IPAddress); address == "" || seen[address] {
			t.Errorf("%q is returned twice or not at all", address)
		} else {
			seen[address] = true
		}
	}
}

func TestExhaustedRangeGivesNothing(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1, vlans: [{name: default, dhcp: 10.0.0.0/30}]}]}")
	a, b := x.newVM(object{"name": "a"}), x.newVM(object{"name": "b"})
	x.Advance(time.Hour)
	wantStrings(t, "first", x.addresses(a.ID), []string{"10.0.0.2"})
	wantStrings(t, "second", x.addresses(b.ID), []string{""})
	x.mustOperate("delete-vm", a.ID)
	x.mustOperate("force-restart-vm", b.ID)
	x.Advance(time.Hour)
	wantStrings(t, "second, once the first is gone", x.addresses(b.ID), []string{"10.0.0.2"})
}

func TestVMsOfTheScenarioRunFromTheStart(t *testing.T) {
	x := start(t, "inventory: {vms: [{name: a}, {name: b, power: STOPPED, nics: [ecp]}]}")
	vms := x.vms(object{})

	if len(vms) != 2 || vms[0].Status != wire.VMStatusRunning || vms[1].Status != wire.VMStatusStopped || len(vms[0].LocalID) != 36 {
		t.Fatalf("got %+v", vms)
	}

	x.Advance(82 * second)
	wantStrings(t, "addresses", x.addresses(vms[0].ID), []string{"10.255.0.2"})
}

func TestNewerTowersListGuestAddresses(t *testing.T) {
	x := start(t, "version: 4.8.0")
	vm, on := x.newRunningVM(object{})

	type nic struct {
		V4 []string `json:"guest_info_ip_addresses"`
		V6 []string `json:"guest_info_ip_addresses_v6"`
	}

	first := post[[]nic](x, "get-vm-nics", object{"where": object{"vm": object{"id": vm.ID}}})
	if first[0].V4 == nil || len(first[0].V4) != 0 || first[0].V6 == nil {
		t.Errorf("at first: %+v", first)
	}

	x.advanceTo(on, 90*second)

	then := post[[]nic](x, "get-vm-nics", object{"where": object{"vm": object{"id": vm.ID}}})
	wantStrings(t, "then", then[0].V4, []string{"10.255.0.2"})
}

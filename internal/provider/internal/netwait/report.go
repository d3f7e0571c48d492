// SPDX-License-Identifier: MPL-2.0

package netwait

import (
	"fmt"
	"strings"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// States of the guest's VM tools, as Tower names them.
const (
	toolsNotInstalled = "NOT_INSTALLED"
	toolsNotRunning   = "NOT_RUNNING"
)

// Report explains why the network is not ready: how long the wait took, the states
// of the VM and its VM tools, the addresses seen on each NIC and why they don't
// count, and what to check.
func (r Result) Report(req Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", r.headline(req))
	if r.VM == nil {
		b.WriteString("Tower did not show the VM while waiting.\n")
	} else {
		fmt.Fprintf(&b, "Power state: %s. VM tools: %s.\n", orUnknown(r.VM.Status), r.tools())
		for i, nic := range r.Verdict.NICs {
			fmt.Fprintf(&b, "%s\n", r.nicLine(i, nic, req))
		}
	}
	if r.NodeAsked {
		fmt.Fprintf(&b, "Kubernetes: %s\n", r.nodeLine())
	}
	if r.Err != nil {
		fmt.Fprintf(&b, "The last look at Tower failed: %s\n", r.Err)
	}
	if advice := r.advice(req); len(advice) > 0 {
		b.WriteString("\nWhat to check:\n")
		for _, line := range advice {
			fmt.Fprintf(&b, "  - %s\n", line)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func (r Result) headline(req Request) string {
	subject := fmt.Sprintf("The network of VM %q (id %s)", req.VMName, req.VMID)
	waited := r.Waited.Round(time.Millisecond)
	switch r.End {
	case Ready:
		return fmt.Sprintf("%s is ready after %s.", subject, waited)
	case Cancelled:
		return fmt.Sprintf("%s is not ready yet: the wait was cancelled after %s.", subject, waited)
	case PoweredOff:
		if !r.Ran {
			return fmt.Sprintf("%s can't become ready: the VM has been off for the whole wait (%s). It was not started, or its guest or somebody powered it off at once.", subject, waited)
		}
		return fmt.Sprintf("%s can't become ready: the VM was powered off during the wait (after %s), by its guest or by somebody.", subject, waited)
	case Suspended:
		if !r.Ran {
			return fmt.Sprintf("%s can't become ready: the VM has been suspended for the whole wait (%s).", subject, waited)
		}
		return fmt.Sprintf("%s can't become ready: the VM was suspended during the wait (after %s).", subject, waited)
	case Recycled:
		return fmt.Sprintf("%s can't become ready: the VM was moved to the recycle bin during the wait (after %s).", subject, waited)
	case Deleted:
		return fmt.Sprintf("VM %q (id %s) was deleted during the wait for its network (after %s).", req.VMName, req.VMID, waited)
	case NotAwaited:
		return subject + " was not waited for."
	default:
		return fmt.Sprintf("%s is not ready after %s.", subject, waited)
	}
}

// missing says in one line what the wait is waiting for.
func (r Result) missing() string {
	switch {
	case r.VM == nil && r.Err != nil:
		return "Tower can't be read"
	case r.VM == nil:
		return "Tower does not show the VM yet"
	case len(r.Verdict.Missing) == 0:
		return "the addresses must stay the same for network_readiness.settle"
	}
	return strings.Join(r.Verdict.Missing, " ")
}

func (r Result) tools() string {
	if r.VM.ToolsVersion == "" {
		return orUnknown(r.VM.ToolsStatus)
	}
	return fmt.Sprintf("%s, version %s", orUnknown(r.VM.ToolsStatus), r.VM.ToolsVersion)
}

// nicLine describes one NIC: its index, MAC address, VLAN and type, then the
// addresses that were seen.
func (r Result) nicLine(i int, verdict readiness.NICVerdict, req Request) string {
	var traits []string
	if verdict.MAC != "" {
		traits = append(traits, "MAC "+verdict.MAC)
	}
	if nic, ok := r.reported(verdict.MAC); ok {
		traits = append(traits, vlan(nic))
	}
	enabled := true
	if i < len(req.Rule.NICs) {
		traits = append(traits, string(req.Rule.NICs[i].Type))
		enabled = req.Rule.NICs[i].Enabled
	}
	return fmt.Sprintf("NIC %d (%s): %s", i, strings.Join(traits, ", "), describeNIC(verdict, enabled))
}

// nodeLine describes the VM's Kubernetes node, or says why it is not known.
func (r Result) nodeLine() string {
	if r.Node.Problem != "" {
		return r.Node.Problem
	}
	if len(r.Verdict.Node) == 0 {
		return "the node's addresses were not needed."
	}
	parts := make([]string, 0, len(r.Verdict.Node))
	for _, s := range r.Verdict.Node {
		parts = append(parts, describeSeen(s))
	}
	return fmt.Sprintf("node %q shows %s.", r.Node.Node, strings.Join(parts, "; "))
}

func describeSeen(s readiness.Seen) string {
	if s.Reason == "" {
		return s.Address
	}
	return fmt.Sprintf("%s, which does not count: %s", s.Address, s.Reason.Explain())
}

func (r Result) reported(mac string) (tower.VMNIC, bool) {
	for _, nic := range r.NICs {
		if mac != "" && strings.EqualFold(nic.MAC, mac) {
			return nic, true
		}
	}
	return tower.VMNIC{}, false
}

func vlan(nic tower.VMNIC) string {
	if nic.VLANName == "" {
		return "no VLAN"
	}
	return fmt.Sprintf("VLAN %q", nic.VLANName)
}

func describeNIC(verdict readiness.NICVerdict, enabled bool) string {
	var parts []string
	for _, s := range verdict.Seen {
		parts = append(parts, describeSeen(s))
	}
	text := strings.Join(parts, "; ")
	switch {
	case !verdict.Reported:
		text = "Tower does not show this NIC"
	case text == "":
		text = "no address reported"
	}
	switch {
	case !enabled:
		text += " (disabled, so not waited for)"
	case !verdict.Waits:
		text += " (not waited for)"
	case verdict.FromNode:
		text += " (takes the address of the Kubernetes node)"
	}
	return text + "."
}

// advice returns what the user should check, depending on what was seen.
func (r Result) advice(req Request) []string {
	var lines []string
	add := func(line string) { lines = append(lines, line) }
	switch r.End {
	case Deleted:
		add("Find out who deleted the VM. The next apply creates it again.")
		return lines
	case Recycled:
		add("Restore the VM from the recycle bin in Tower, or remove it there. Then apply again.")
		return lines
	case PoweredOff, Suspended:
		if !r.Ran {
			add("Check whether the VM is meant to run. If it is not, wait for its network only once it is.")
		}
		add("Check the guest's console and system log for the reason. Then start the VM, or set power_state = \"RUNNING\".")
		return lines
	case Ready, Cancelled, TimedOut:
	}
	if r.VM == nil {
		add("Check that Tower answers, and that this user may see the VM.")
		return lines
	}
	switch r.VM.ToolsStatus {
	case toolsNotInstalled:
		add("VM tools are not installed in the guest, so Tower can't learn its addresses. Install them in the template.")
	case toolsNotRunning:
		add("VM tools are installed but not running. Check on the guest's console whether it has booted and started them.")
	default:
		if r.End == TimedOut {
			add("VM tools report addresses to Tower one to three minutes after the guest has them. Try a longer network_readiness.timeout.")
		}
	}
	lines = append(lines, r.nicAdvice(req)...)
	return lines
}

func (r Result) nicAdvice(req Request) []string {
	var linkLocal, empty, configured bool
	for _, nic := range r.Verdict.NICs {
		if !nic.Waits || nic.Satisfied {
			continue
		}
		empty = empty || len(nic.Seen) == 0
		for _, s := range nic.Seen {
			linkLocal = linkLocal || s.Reason == readiness.ReasonLinkLocal
			configured = configured || s.Reason == readiness.ReasonConfiguredStatic
		}
	}
	var lines []string
	if linkLocal {
		lines = append(lines, "A link-local address (169.254.0.0/16) means that the guest got no DHCP lease. Check the DHCP server of that VLAN and its free addresses.")
	}
	if configured {
		lines = append(lines, "A DHCP NIC reports an address that is configured as static. Check which interface in the guest has which MAC address.")
	}
	if empty {
		lines = append(lines, "A NIC reports no address at all. Check its VLAN and the DHCP server; set wait_for_ip = false on a NIC that never gets an address.")
	}
	if req.Rule.RequireStatic {
		lines = append(lines, "With require_static, each static NIC must report its configured address. Check what cloud-init did in the guest.")
	}
	return lines
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

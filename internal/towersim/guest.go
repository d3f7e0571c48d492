// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"hash/fnv"
	"net/netip"
	"strings"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// story is what a guest does from one power-on to the next power-off. Its steps
// lie at offsets from the power-on; a suspension holds them up.
type story struct {
	vm     *vm
	guest  Guest
	base   time.Time // the power-on, moved on by the length of suspensions
	steps  []*step
	epoch  int
	paused time.Time // zero unless suspended
}

type step struct {
	offset time.Duration
	run    func()
	done   bool
}

// powerOn lets a VM run and its guest's story begin.
func (w *world) powerOn(v *vm) {
	w.forget(v)

	v.row.Status = wire.VMStatusRunning
	v.poweredOnAt, v.poweredOffAt = w.current, time.Time{}
	v.story = &story{vm: v, guest: w.guestOf(v.row.Name), base: w.current}

	for _, n := range v.nics {
		n.leasedAt, n.reportedAt, n.address = time.Time{}, time.Time{}, nicAddress{}
		w.planNIC(v.story, n, 0)
	}

	w.planTools(v.story)
	w.planNode(v.story)

	if off := v.story.guest.PowersOff; off != nil && *off != Never {
		w.plan(v.story, time.Duration(*off), func() { w.powerOff(v) })
	}

	w.touchVM(v)
	w.dirty = true
}

// powerOff ends the guest's story.
func (w *world) powerOff(v *vm) {
	v.story = nil
	v.row.Status = wire.VMStatusStopped
	v.poweredOffAt = w.current
	v.row.LastShutdownTime = stampPtr(w.current)
	w.forget(v)
	w.nodes.lost(v, w.current)
	w.touchVM(v)
	w.dirty = true
}

// forget takes back what Tower knows from a guest that no longer runs.
func (w *world) forget(v *vm) {
	v.row.VMToolsStatus = wire.VMToolsStatusNotRunning
	if w.guestOf(v.row.Name).VMTools == toolsNotInstalled {
		v.row.VMToolsStatus = wire.VMToolsStatusNotInstalled
	}

	if w.scenario.StaleAddresses {
		return
	}

	for _, n := range v.nics {
		n.untell()
	}

	v.row.IPs = ""
}

// suspend holds the story up; resume lets it go on.
func (w *world) suspend(v *vm) {
	v.row.Status = wire.VMStatusSuspended
	v.story.paused = w.current
	v.story.epoch++
	w.touchVM(v)
	w.dirty = true
}

func (w *world) resume(v *vm) {
	s := v.story
	v.row.Status = wire.VMStatusRunning
	s.base = s.base.Add(w.current.Sub(s.paused))
	s.paused = time.Time{}

	for _, next := range s.steps {
		if !next.done {
			w.schedule(s, next)
		}
	}

	w.touchVM(v)
	w.dirty = true
}

// plan adds a step to a story.
func (w *world) plan(s *story, offset time.Duration, run func()) {
	next := &step{offset: offset, run: run}
	s.steps = append(s.steps, next)

	if s.paused.IsZero() {
		w.schedule(s, next)
	}
}

func (w *world) schedule(s *story, next *step) {
	epoch := s.epoch

	w.at(s.base.Add(next.offset), func() {
		if s.vm.story != s || s.epoch != epoch || next.done {
			return
		}

		next.done = true
		next.run()
		w.touchVM(s.vm)
		w.dirty = true
	})
}

// nicPlan is when a NIC gets an address and when Tower tells it. Never is a
// negative offset.
type nicPlan struct {
	lease, report, linkLocal time.Duration
}

// planNIC plans the story of a NIC that is there from an offset on: 0 for those
// that the guest boots with.
func (w *world) planNIC(s *story, n *nic, from time.Duration) {
	n.plug++
	plug := n.plug
	line := s.lineOf(n)
	p := w.nicPlan(s, n, line, from)
	n.plan, n.planned = p, plug
	unplugged := func() bool { return n.plug != plug }

	if p.linkLocal >= 0 {
		w.plan(s, p.linkLocal, func() {
			if !unplugged() {
				n.tell(nicAddress{ip: linkLocalOf(n.mac), mask: "255.255.0.0"})
				w.told(s)
			}
		})
	}

	if p.lease >= 0 {
		w.plan(s, p.lease, func() {
			if !unplugged() {
				n.address = w.addressFor(n, line)
				n.leasedAt = w.current
			}
		})
	}

	if p.report >= 0 {
		w.plan(s, p.report, func() {
			if !unplugged() && n.address.ip != "" {
				n.tell(n.address)
				n.reportedAt = w.current
				w.told(s)
			}
		})
	}
}

func (w *world) nicPlan(s *story, n *nic, line *GuestNIC, from time.Duration) nicPlan {
	timing := w.scenario.Timing
	up := max(timing.Boot, from)
	p := nicPlan{lease: up + timing.DHCP, report: -1, linkLocal: -1}
	mute := s.guest.VMTools != "" && s.guest.VMTools != toolsRunning
	addressed := line != nil && line.Address != ""

	switch {
	case !*n.row.Enabled:
		return nicPlan{lease: -1, report: -1, linkLocal: -1}
	case n.static != nil && !addressed:
		p.lease = up
	case !addressed && (n.silent || n.vlan == nil || n.vlan.pool == nil):
		p.lease = -1
	}

	if line != nil && line.DHCP != nil && p.lease >= 0 {
		p.lease = line.DHCP.from(from)
	}

	if mute {
		return p
	}

	if p.lease >= 0 {
		p.report = p.lease + timing.VMToolsSync
	}

	if line != nil && line.Reported != nil && p.lease >= 0 {
		p.report = line.Reported.from(from)
		// Without a word on the lease it only has to be there by then.
		if line.DHCP == nil && p.report >= 0 {
			p.lease = min(p.lease, p.report)
		}
	}

	if line != nil && line.LinkLocalFirst {
		p.linkLocal = up
		if p.report >= 0 && p.report <= up {
			p.linkLocal = from + (p.report-from)/2
		}
	}

	return p
}

// from returns the delay as an offset not before another, or -1 for never.
func (d Delay) from(offset time.Duration) time.Duration {
	if d == Never {
		return -1
	}

	return max(time.Duration(d), offset)
}

// lineOf returns what the scenario says of a NIC, or nil.
func (s *story) lineOf(n *nic) *GuestNIC {
	if n.tools {
		return nil
	}

	return s.guest.nic(s.vm.indexOf(n))
}

func (g *Guest) nic(index int) *GuestNIC {
	for i := range g.NICs {
		if g.NICs[i].Index == index {
			return &g.NICs[i]
		}
	}

	return nil
}

// addressFor returns the address that a NIC comes up with: the scenario's, the
// one that was configured, or a lease.
func (w *world) addressFor(n *nic, line *GuestNIC) nicAddress {
	if line != nil && line.Address != "" {
		return n.around(line.Address)
	}

	if n.static != nil {
		return nicAddress(*n.static)
	}

	address, ok := n.vlan.pool.lease(n.mac, line != nil && line.NewLease)
	if !ok {
		return nicAddress{}
	}

	return n.around(address.String())
}

// around adds the mask and the gateway that fit an address on the NIC.
func (n *nic) around(ip string) nicAddress {
	if n.static != nil && n.static.ip == ip {
		return nicAddress(*n.static)
	}

	address, err := netip.ParseAddr(ip)
	if err != nil || n.vlan == nil || n.vlan.pool == nil || !n.vlan.pool.prefix.Contains(address) {
		return nicAddress{ip: ip}
	}

	return nicAddress{ip: ip, mask: maskOf(n.vlan.pool.prefix.Bits()), gateway: n.vlan.pool.gateway.String()}
}

// tell makes Tower show an address on the NIC.
func (n *nic) tell(a nicAddress) {
	n.told = true
	n.row.IPAddress, n.row.SubnetMask, n.row.Gateway = textOrNull(a.ip), textOrNull(a.mask), textOrNull(a.gateway)
}

// untell makes Tower show what the caller once gave, or nothing.
func (n *nic) untell() {
	n.tell(n.echo)
	n.told = false
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}

	return &s
}

// told brings the VM's row up to date after a report of its tools.
func (w *world) told(s *story) {
	row := &s.vm.row
	row.VMToolsStatus = wire.VMToolsStatusRunning
	row.VMToolsVersion = wire.Ptr("3.2.1")
	row.OS, row.KernelInfo = wire.Ptr("Rocky Linux 8.10"), wire.Ptr("4.18.0-553.el8_10.x86_64")

	if row.Hostname == nil {
		row.Hostname = wire.Ptr(row.Name)
	}

	s.vm.showIPs(s.guest)
}

// showIPs rewrites the VM's flat list, which has the loopback address and
// whatever else the guest's kernel knows besides those of the NICs.
func (v *vm) showIPs(guest Guest) {
	ips := []string{"127.0.0.1"}

	for _, n := range v.nics {
		if n.told && n.row.IPAddress != nil {
			ips = append(ips, *n.row.IPAddress)
		}
	}

	v.row.IPs = strings.Join(append(ips, guest.ExtraIPs...), ",")
}

// planTools lets the tools come up by themselves where no report of an address
// does it.
func (w *world) planTools(s *story) {
	if s.guest.VMTools != "" && s.guest.VMTools != toolsRunning {
		return
	}

	timing := w.scenario.Timing
	first := timing.Boot + timing.VMToolsSync

	for _, n := range s.vm.nics {
		p := w.nicPlan(s, n, s.lineOf(n), 0)
		if p.report >= 0 || p.linkLocal >= 0 {
			return
		}
	}

	w.plan(s, first, func() { w.told(s) })
}

// linkLocalOf derives the address that a guest gives itself from its MAC
// address.
func linkLocalOf(mac string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(mac))
	n := h.Sum32()

	return fmt.Sprintf("169.254.%d.%d", 1+n%254, n>>8&0xff)
}

func (v *vm) indexOf(n *nic) int {
	for i, other := range v.nics {
		if other == n {
			return i
		}
	}

	return -1
}

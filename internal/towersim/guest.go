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

// guestRun is what a guest does from one power-on to the next power-off. Its
// steps are at offsets from the power-on. A suspension delays them.
type guestRun struct {
	vm          *vm
	guest       Guest
	start       time.Time // the power-on, plus the length of all suspensions
	steps       []*step
	generation  int
	suspendedAt time.Time // zero unless suspended
}

type step struct {
	offset time.Duration
	run    func()
	done   bool
}

// powerOn starts a VM and its guest.
func (w *world) powerOn(v *vm) {
	w.clearGuestInfo(v)

	v.row.Status = wire.VMStatusRunning
	v.poweredOnAt, v.poweredOffAt = w.now, time.Time{}
	v.guestRun = &guestRun{vm: v, guest: w.guestOf(v.row.Name), start: w.now}

	for _, n := range v.nics {
		n.leasedAt, n.reportedAt, n.address = time.Time{}, time.Time{}, nicAddress{}
		w.planNIC(v.guestRun, n, 0)
	}

	w.planTools(v.guestRun)
	w.planNode(v.guestRun)

	if off := v.guestRun.guest.PowersOff; off != nil && *off != Never {
		w.addStep(v.guestRun, time.Duration(*off), func() { w.powerOff(v) })
	}

	w.touchVM(v)
	w.dirty = true
}

// powerOff stops a VM and its guest.
func (w *world) powerOff(v *vm) {
	v.guestRun = nil
	v.row.Status = wire.VMStatusStopped
	v.poweredOffAt = w.now
	v.row.LastShutdownTime = formatTimePtr(w.now)
	w.clearGuestInfo(v)
	w.nodes.markNotReady(v, w.now)
	w.touchVM(v)
	w.dirty = true
}

// clearGuestInfo removes what Tower knows from a guest that does not run any
// more.
func (w *world) clearGuestInfo(v *vm) {
	v.row.VMToolsStatus = wire.VMToolsStatusNotRunning
	if w.guestOf(v.row.Name).VMTools == toolsNotInstalled {
		v.row.VMToolsStatus = wire.VMToolsStatusNotInstalled
	}

	if w.scenario.StaleAddresses {
		return
	}

	for _, n := range v.nics {
		n.showRequested()
	}

	v.row.IPs = ""
}

// suspend pauses a VM and the steps of its guest; resume continues them.
func (w *world) suspend(v *vm) {
	v.row.Status = wire.VMStatusSuspended
	v.guestRun.suspendedAt = w.now
	v.guestRun.generation++
	w.touchVM(v)
	w.dirty = true
}

func (w *world) resume(v *vm) {
	s := v.guestRun
	v.row.Status = wire.VMStatusRunning
	s.start = s.start.Add(w.now.Sub(s.suspendedAt))
	s.suspendedAt = time.Time{}

	for _, next := range s.steps {
		if !next.done {
			w.scheduleStep(s, next)
		}
	}

	w.touchVM(v)
	w.dirty = true
}

// addStep adds a step to a guest run.
func (w *world) addStep(s *guestRun, offset time.Duration, run func()) {
	next := &step{offset: offset, run: run}
	s.steps = append(s.steps, next)

	if s.suspendedAt.IsZero() {
		w.scheduleStep(s, next)
	}
}

func (w *world) scheduleStep(s *guestRun, next *step) {
	epoch := s.generation

	w.runAt(s.start.Add(next.offset), func() {
		if s.vm.guestRun != s || s.generation != epoch || next.done {
			return
		}

		next.done = true
		next.run()
		w.touchVM(s.vm)
		w.dirty = true
	})
}

// nicPlan holds the offsets at which a NIC gets an address and at which Tower
// shows it. A negative offset means never.
type nicPlan struct {
	lease, report, linkLocal time.Duration
}

// planNIC plans the steps of a NIC that the guest has from an offset on: 0 for
// the NICs that it boots with.
func (w *world) planNIC(s *guestRun, n *nic, from time.Duration) {
	n.plugCount++
	plug := n.plugCount
	spec := s.guestNICFor(n)
	p := w.nicPlanFor(s, n, spec, from)
	n.plan, n.plannedPlugCount = p, plug
	unplugged := func() bool { return n.plugCount != plug }

	if p.linkLocal >= 0 {
		w.addStep(s, p.linkLocal, func() {
			if !unplugged() {
				n.showAddress(nicAddress{ip: linkLocalOf(n.mac), mask: "255.255.0.0"})
				w.toolsReported(s)
			}
		})
	}

	if p.lease >= 0 {
		w.addStep(s, p.lease, func() {
			if !unplugged() {
				n.address = w.addressFor(n, spec)
				n.leasedAt = w.now
			}
		})
	}

	if p.report >= 0 {
		w.addStep(s, p.report, func() {
			if !unplugged() && n.address.ip != "" {
				n.showAddress(n.address)
				n.reportedAt = w.now
				w.toolsReported(s)
			}
		})
	}
}

func (w *world) nicPlanFor(s *guestRun, n *nic, spec *GuestNIC, from time.Duration) nicPlan {
	timing := w.scenario.Timing
	up := max(timing.Boot, from)
	p := nicPlan{lease: up + timing.DHCP, report: -1, linkLocal: -1}
	mute := s.guest.VMTools != "" && s.guest.VMTools != toolsRunning
	addressed := spec != nil && spec.Address != ""

	switch {
	case !*n.row.Enabled:
		return nicPlan{lease: -1, report: -1, linkLocal: -1}
	case n.static != nil && !addressed:
		p.lease = up
	case !addressed && (n.unconfigured || n.pool() == nil):
		p.lease = -1
	}

	if spec != nil && spec.DHCP != nil && p.lease >= 0 {
		p.lease = spec.DHCP.from(from)
	}

	if mute {
		return p
	}

	if p.lease >= 0 {
		p.report = p.lease + timing.VMToolsSync
	}

	if spec != nil && spec.Reported != nil && p.lease >= 0 {
		p.report = spec.Reported.from(from)
		// If the scenario gives no time for the lease, it only has to come
		// before the report.
		if spec.DHCP == nil && p.report >= 0 {
			p.lease = min(p.lease, p.report)
		}
	}

	if spec != nil && spec.LinkLocalFirst {
		p.linkLocal = up
		if p.report >= 0 && p.report <= up {
			p.linkLocal = from + (p.report-from)/2
		}
	}

	return p
}

// from returns the delay as an offset that is not before another one, or -1 for
// never.
func (d Delay) from(offset time.Duration) time.Duration {
	if d == Never {
		return -1
	}

	return max(time.Duration(d), offset)
}

// guestNICFor returns the scenario's settings of a NIC, or nil.
func (s *guestRun) guestNICFor(n *nic) *GuestNIC {
	if n.toolsConfigured {
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

// addressFor returns the address that a NIC gets: the scenario's, the
// configured one, or one from DHCP.
func (w *world) addressFor(n *nic, spec *GuestNIC) nicAddress {
	if spec != nil && spec.Address != "" {
		return n.fullAddress(spec.Address)
	}

	if n.static != nil {
		return nicAddress(*n.static)
	}

	// In a VPC, Tower assigns the address.
	fresh := spec != nil && spec.NewLease && n.vpc == nil

	address, ok := n.pool().lease(n.mac, fresh)
	if !ok {
		return nicAddress{}
	}

	return n.fullAddress(address.String())
}

// fullAddress adds the mask and the gateway of the NIC's network to an address.
func (n *nic) fullAddress(ip string) nicAddress {
	if n.static != nil && n.static.ip == ip {
		return nicAddress(*n.static)
	}

	address, err := netip.ParseAddr(ip)
	if err != nil || n.pool() == nil || !n.pool().prefix.Contains(address) {
		return nicAddress{ip: ip}
	}

	return nicAddress{ip: ip, mask: netmask(n.pool().prefix.Bits()), gateway: n.pool().gateway.String()}
}

// pool returns the DHCP server of the NIC's network, nil if there is none.
func (n *nic) pool() *dhcpPool {
	switch {
	case n.vpc != nil:
		return n.vpc.subnet.pool
	case n.vlan != nil:
		return n.vlan.pool
	default:
		return nil
	}
}

// showAddress makes Tower show an address on the NIC.
func (n *nic) showAddress(a nicAddress) {
	n.showsReport = true
	n.row.IPAddress, n.row.SubnetMask, n.row.Gateway = nilIfEmpty(a.ip), nilIfEmpty(a.mask), nilIfEmpty(a.gateway)
}

// showRequested makes Tower show the address that the client has given for the
// NIC, or none.
func (n *nic) showRequested() {
	n.showAddress(n.requested)
	n.showsReport = false
}

func nilIfEmpty(s string) *string {
	if s == "" {
		return nil
	}

	return &s
}

// toolsReported updates the VM's row after a report of its tools.
func (w *world) toolsReported(s *guestRun) {
	row := &s.vm.row
	row.VMToolsStatus = wire.VMToolsStatusRunning
	row.VMToolsVersion = wire.Ptr("3.2.1")
	row.OS, row.KernelInfo = wire.Ptr("Rocky Linux 8.10"), wire.Ptr("4.18.0-553.el8_10.x86_64")

	if row.Hostname == nil {
		row.Hostname = wire.Ptr(row.Name)
	}

	s.vm.refreshIPs(s.guest)
}

// refreshIPs rewrites the VM's flat list of addresses. Besides the addresses of
// the NICs, it has the loopback address and the extra addresses of the
// scenario.
func (v *vm) refreshIPs(guest Guest) {
	ips := []string{"127.0.0.1"}

	for _, n := range v.nics {
		if n.showsReport && n.row.IPAddress != nil {
			ips = append(ips, *n.row.IPAddress)
		}
	}

	v.row.IPs = strings.Join(append(ips, guest.ExtraIPs...), ",")
}

// planTools plans when the tools start to run, if no report of an address shows
// it.
func (w *world) planTools(s *guestRun) {
	if s.guest.VMTools != "" && s.guest.VMTools != toolsRunning {
		return
	}

	timing := w.scenario.Timing
	first := timing.Boot + timing.VMToolsSync

	for _, n := range s.vm.nics {
		p := w.nicPlanFor(s, n, s.guestNICFor(n), 0)
		if p.report >= 0 || p.linkLocal >= 0 {
			return
		}
	}

	w.addStep(s, first, func() { w.toolsReported(s) })
}

// linkLocalOf derives a guest's link-local address from a MAC address.
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

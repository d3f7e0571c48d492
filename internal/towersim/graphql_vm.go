// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// wholeVM is what the GraphQL mutation updateVm changes of a VM. What is nil was
// not sent and stays.
type wholeVM struct {
	_           struct{}    `wire:"closed"`
	Name        *string     `json:"name"`
	Description *string     `json:"description"`
	Memory      *int64      `json:"memory"`
	HA          *bool       `json:"ha"`
	VCPU        *int        `json:"vcpu"`
	CPU         *wholeCPU   `json:"cpu"`
	Hostname    *string     `json:"hostname"`
	DNSServers  *string     `json:"dns_servers"`
	Nics        *wholeNics  `json:"vm_nics"`
	Disks       *wholeDisks `json:"vm_disks"`
}

type wholeCPU struct {
	_       struct{} `wire:"closed"`
	Cores   *int     `json:"cores"`
	Sockets *int     `json:"sockets"`
}

// wholeEffect is who changes the guest's configuration inside the guest. Any
// account will do.
type wholeEffect struct {
	_        struct{} `wire:"closed"`
	Username *string  `json:"guest_os_username"`
	Password *string  `json:"guest_os_password"`
}

type wholeNics struct {
	_      struct{}         `wire:"closed"`
	Create []wholeNicCreate `json:"create"`
	Delete []wholeID        `json:"delete"`
}

type wholeNicCreate struct {
	_          struct{}         `wire:"closed"`
	LocalID    *string          `json:"local_id"`
	Enabled    *bool            `json:"enabled"`
	Mirror     *bool            `json:"mirror"`
	Model      *wire.VMNicModel `json:"model"`
	MACAddress *string          `json:"mac_address"`
	IPType     *string          `json:"ip_type"`
	IPAddress  *string          `json:"ip_address"`
	SubnetMask *string          `json:"subnet_mask"`
	Gateway    *string          `json:"gateway"`
	Nic        *wholeRelation   `json:"nic"`
	Vlan       *wholeRelation   `json:"vlan"`
}

type wholeID struct {
	_  struct{} `wire:"closed"`
	ID string   `json:"id" wire:"required"`
}

// wholeRelation connects an object with another, or cuts their relation.
type wholeRelation struct {
	_          struct{} `wire:"closed"`
	Connect    *wholeID `json:"connect"`
	Disconnect *bool    `json:"disconnect"`
}

// id returns the id of the other object, or "".
func (r *wholeRelation) id() string {
	if r == nil || r.Connect == nil {
		return ""
	}

	return r.Connect.ID
}

func (r *wholeRelation) cut() bool { return r != nil && r.Disconnect != nil && *r.Disconnect }

// wholeEdit is an edit whose objects have been looked up.
type wholeEdit struct {
	vm     *vm
	basic  wire.VMUpdateParamsData
	guest  *wholeVM // for what goes through the tools
	nics   []wholeNic
	noNics bool // the NICs stay as they are
	disks  *diskEdit
}

// wholeNic is a NIC that the VM has after the edit.
type wholeNic struct {
	kept  *nic // nil: a new one
	shape nicShape
	edit  nicEdit
	from  *wholeNicCreate // nil: it stays as it is
}

// mac returns the NIC's MAC address, "" for one that Tower is to choose.
func (n *wholeNic) mac() string {
	if n.kept != nil {
		return n.kept.mac
	}

	return n.shape.mac
}

// updateWholeVM starts an edit of a VM that carries the whole of its disks and
// NICs. The answer has no task: callers look for it by the VM and the mutation.
func (c *call) updateWholeVM(field gqlField, variables map[string]any) (any, error) {
	if err := c.authenticate(graphQLName); err != nil {
		return nil, err
	}

	var (
		data   wholeVM
		effect wholeEffect
		where  wire.VMWhereUniqueInput
	)

	if err := field.input(variables, "data", &data); err != nil {
		return nil, err
	}

	if err := field.input(variables, "effect", &effect); err != nil {
		return nil, err
	}

	if err := field.input(variables, "where", &where); err != nil {
		return nil, err
	}

	if where.ID.Ptr() == nil && where.LocalID.Ptr() == nil {
		return nil, badRequest("updateVm: the argument where must have id or local_id")
	}

	v, err := c.uniqueVM(&where)
	if err != nil {
		return nil, err
	}

	edit, err := c.wholeEditOf(v, &data)
	if err != nil {
		return nil, err
	}

	_, err = c.changeVMs([]*vm{v}, vmWork{
		mutation: "updateVm", about: named("Edit VM", "编辑虚拟机"),
		apply: func(*vm) *taskFailure { return c.applyWhole(edit) },
	})
	if err != nil {
		return nil, err
	}

	return field.pick(map[string]any{"id": v.row.ID, "local_id": v.row.LocalID, "name": v.row.Name}), nil
}

func (c *call) wholeEditOf(v *vm, data *wholeVM) (*wholeEdit, error) {
	edit := &wholeEdit{vm: v, guest: data, noNics: data.Nics == nil}
	edit.basic = wire.VMUpdateParamsData{
		Name: data.Name, Description: data.Description, Memory: data.Memory, HA: data.HA, VCPU: data.VCPU,
	}

	if data.CPU != nil {
		edit.basic.CPUCores, edit.basic.CPUSockets = data.CPU.Cores, data.CPU.Sockets
	}

	if err := nonEmpty("data.name", data.Name); err != nil {
		return nil, err
	}

	if data.Memory != nil && *data.Memory <= 0 {
		return nil, badRequest("data.memory: must be more than 0")
	}

	if servers := valueOf(data.DNSServers); servers != "" {
		for server := range strings.SplitSeq(servers, ",") {
			if _, err := netip.ParseAddr(server); err != nil {
				return nil, badRequest("dns_servers: %q is not an IP address", server)
			}
		}
	}

	var err error

	if data.Nics != nil {
		if edit.nics, err = c.wholeNicsOf(v, data.Nics); err != nil {
			return nil, err
		}
	}

	edit.disks, err = c.diskEditOf(v, data.Disks)

	return edit, err
}

// wholeNicsOf returns the NICs that a VM has after an edit. A NIC that is
// deleted and created with its MAC address is the same NIC.
func (c *call) wholeNicsOf(v *vm, in *wholeNics) ([]wholeNic, error) {
	var dropped []*nic

	for _, d := range in.Delete {
		n := c.nicOf(v, d.ID)
		if n == nil {
			return nil, notFound("The VM %s has no NIC %s", v.row.Name, d.ID)
		}

		dropped = append(dropped, n)
	}

	var after []wholeNic

	for _, n := range v.nics {
		if !slices.Contains(dropped, n) {
			after = append(after, wholeNic{kept: n})
		}
	}

	for i := range in.Create {
		made, err := c.wholeNicOf(v, &in.Create[i])
		if err != nil {
			return nil, err
		}

		for _, other := range after {
			if mac := made.shape.mac; mac != "" && strings.EqualFold(other.mac(), mac) {
				return nil, badRequest("vm_nics.create: two NICs have the MAC address %s", mac)
			}
		}

		for _, n := range dropped {
			if strings.EqualFold(n.mac, made.shape.mac) {
				made.kept = n
			}
		}

		after = append(after, made)
	}

	return after, nil
}

// nicOf returns the NIC of a VM that an id names, be it one that the NIC had
// before an edit.
func (w *world) nicOf(v *vm, id string) *nic {
	n, ok := w.nics.get(id)
	if !ok {
		n = w.formerNICs[id]
	}

	if n == nil || n.vm != v {
		return nil
	}

	return n
}

func (c *call) wholeNicOf(v *vm, in *wholeNicCreate) (wholeNic, error) {
	if id := in.Nic.id(); id != "" {
		return wholeNic{}, notFound("There is no host NIC %s", id)
	}

	// A switch that is not sent is off.
	off := false
	enabled, mirror := in.Enabled, in.Mirror

	if enabled == nil {
		enabled = &off
	}

	if mirror == nil {
		mirror = &off
	}

	mac := in.MACAddress
	if valueOf(mac) == "" {
		mac = nil
	}

	shapes, err := c.nicShapes([]wire.VMNicParams{{
		ConnectVlanID: wire.Ptr(in.Vlan.id()), Enabled: enabled, Mirror: mirror, Model: in.Model, MACAddress: mac,
		IPAddress: in.IPAddress, SubnetMask: in.SubnetMask, Gateway: in.Gateway,
	}}, v.cluster)
	if err != nil {
		return wholeNic{}, err
	}

	made := wholeNic{shape: shapes[0], from: in}
	made.edit = nicEdit{vlanID: wire.Ptr(in.Vlan.id()), enabled: enabled, mirror: mirror, model: in.Model}

	if valueOf(in.IPAddress) != "" {
		made.edit.ip, made.edit.mask, made.edit.gate = in.IPAddress, in.SubnetMask, in.Gateway
	}

	return made, nil
}

// needsTools tells whether an edit goes through the tools of the guest.
func (e *wholeEdit) needsTools() bool {
	return valueOf(e.guest.Hostname) != "" || valueOf(e.guest.DNSServers) != "" ||
		slices.ContainsFunc(e.nics, func(n wholeNic) bool { return n.edit.configures() })
}

// applyWhole makes an edit, all of it or nothing.
func (w *world) applyWhole(e *wholeEdit) *taskFailure {
	v := e.vm

	if e.needsTools() && v.row.VMToolsStatus != wire.VMToolsStatusRunning {
		return failure("VM_TOOLS_NOT_RUNNING", "The VM tools of the VM %s are not running.", v.row.Name)
	}

	if failed := w.disksEditable(e.disks); failed != nil {
		return failed
	}

	if failed := w.prepareNew(e); failed != nil {
		return failed
	}

	if failed := w.editVM(v, &e.basic); failed != nil {
		return failed
	}

	if !e.noNics {
		w.settleNICs(v, e.nics)
	}

	w.editDisks(e.disks)

	if valueOf(e.guest.Hostname) != "" {
		v.row.Hostname = e.guest.Hostname
	}

	if valueOf(e.guest.DNSServers) != "" {
		v.row.DNSServers = e.guest.DNSServers
	}

	w.renew(v)

	return nil
}

// prepareNew completes the NICs that an edit adds.
func (w *world) prepareNew(e *wholeEdit) *taskFailure {
	var added []*nicShape

	for i := range e.nics {
		if e.nics[i].kept == nil {
			added = append(added, &e.nics[i].shape)
		}
	}

	leaving := slices.DeleteFunc(slices.Clone(e.vm.nics), func(n *nic) bool {
		return slices.ContainsFunc(e.nics, func(x wholeNic) bool { return x.kept == n })
	})

	prepared, failed := w.prepareNICs(mapped(added, func(s *nicShape) nicShape { return *s }), e.vm.cluster, leaving)
	if failed != nil {
		return failed
	}

	for i := range prepared {
		*added[i] = prepared[i]
	}

	return nil
}

// settleNICs gives a VM the NICs that an edit lists, in that order.
func (w *world) settleNICs(v *vm, after []wholeNic) {
	for _, n := range slices.Clone(v.nics) {
		if !slices.ContainsFunc(after, func(x wholeNic) bool { return x.kept == n }) {
			w.unplug(n)
		}
	}

	order := make([]*nic, len(after))
	for i := range after {
		n := after[i].kept

		switch {
		case n == nil:
			n = w.plugIn(v, &after[i].shape)
			w.editNIC(n, &nicEdit{ip: after[i].edit.ip, mask: after[i].edit.mask, gate: after[i].edit.gate})

			if !after[i].edit.configures() {
				w.hotPlug(n)
			}
		case after[i].from != nil:
			w.editNIC(n, &after[i].edit)
		}

		order[i] = n
	}

	v.nics = order
}

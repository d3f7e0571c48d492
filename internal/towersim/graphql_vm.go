// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// updateVMInput is the data of the GraphQL mutation updateVm. Members that are
// nil were not sent and do not change.
type updateVMInput struct {
	_           struct{}    `wire:"closed"`
	Name        *string     `json:"name"`
	Description *string     `json:"description"`
	Memory      *int64      `json:"memory"`
	HA          *bool       `json:"ha"`
	VCPU        *int        `json:"vcpu"`
	CPU         *cpuInput   `json:"cpu"`
	Hostname    *string     `json:"hostname"`
	DNSServers  *string     `json:"dns_servers"`
	Nics        *nicsInput  `json:"vm_nics"`
	Disks       *disksInput `json:"vm_disks"`
}

type cpuInput struct {
	_       struct{} `wire:"closed"`
	Cores   *int     `json:"cores"`
	Sockets *int     `json:"sockets"`
}

// effectInput is the account that changes the configuration inside the guest.
// Any account is accepted.
type effectInput struct {
	_        struct{} `wire:"closed"`
	Username *string  `json:"guest_os_username"`
	Password *string  `json:"guest_os_password"`
}

type nicsInput struct {
	_      struct{}   `wire:"closed"`
	Create []nicInput `json:"create"`
	Delete []idInput  `json:"delete"`
}

type nicInput struct {
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
	Nic        *relationInput   `json:"nic"`
	Vlan       *relationInput   `json:"vlan"`
}

type idInput struct {
	_  struct{} `wire:"closed"`
	ID string   `json:"id" wire:"required"`
}

// relationInput connects an object with another, or disconnects them.
type relationInput struct {
	_          struct{} `wire:"closed"`
	Connect    *idInput `json:"connect"`
	Disconnect *bool    `json:"disconnect"`
}

// id returns the id of the other object, or "".
func (r *relationInput) id() string {
	if r == nil || r.Connect == nil {
		return ""
	}

	return r.Connect.ID
}

func (r *relationInput) disconnects() bool { return r != nil && r.Disconnect != nil && *r.Disconnect }

// vmEdit is an updateVm mutation whose objects have been looked up.
type vmEdit struct {
	vm     *vm
	basic  wire.VMUpdateParamsData
	guest  *updateVMInput // the part that needs the VM tools
	nics   []editedNIC
	noNics bool // the NICs do not change
	disks  *diskEdit
}

// editedNIC is a NIC that the VM has after the edit.
type editedNIC struct {
	kept   *nic // nil for a new NIC
	config nicConfig
	edit   nicEdit
	from   *nicInput // nil if the NIC does not change
}

// mac returns the NIC's MAC address, "" if Tower chooses it.
func (n *editedNIC) mac() string {
	if n.kept != nil {
		return n.kept.mac
	}

	return n.config.mac
}

// graphQLUpdateVM starts an edit of a VM. The request carries the whole lists
// of disks and NICs. The answer names no task: clients look the task up by the
// VM and the mutation.
func (c *call) graphQLUpdateVM(field gqlField, variables map[string]any) (any, error) {
	if err := c.authenticate(graphQLName); err != nil {
		return nil, err
	}

	var (
		data   updateVMInput
		effect effectInput
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

	edit, err := c.newVMEdit(v, &data)
	if err != nil {
		return nil, err
	}

	_, err = c.changeVMs([]*vm{v}, vmChange{
		mutation: "updateVm", description: describeVM("Edit VM", "编辑虚拟机"),
		apply: func(*vm) *taskFailure { return c.applyVMEdit(edit) },
	})
	if err != nil {
		return nil, err
	}

	return field.pick(map[string]any{"id": v.row.ID, "local_id": v.row.LocalID, "name": v.row.Name}), nil
}

func (c *call) newVMEdit(v *vm, data *updateVMInput) (*vmEdit, error) {
	edit := &vmEdit{vm: v, guest: data, noNics: data.Nics == nil}
	edit.basic = wire.VMUpdateParamsData{
		Name: data.Name, Description: data.Description, Memory: data.Memory, HA: data.HA, VCPU: data.VCPU,
	}

	if data.CPU != nil {
		edit.basic.CPUCores, edit.basic.CPUSockets = data.CPU.Cores, data.CPU.Sockets
	}

	if err := checkNotEmpty("data.name", data.Name); err != nil {
		return nil, err
	}

	if data.Memory != nil && *data.Memory <= 0 {
		return nil, badRequest("data.memory: must be more than 0")
	}

	if servers := deref(data.DNSServers); servers != "" {
		for server := range strings.SplitSeq(servers, ",") {
			if _, err := netip.ParseAddr(server); err != nil {
				return nil, badRequest("dns_servers: %q is not an IP address", server)
			}
		}
	}

	var err error

	if data.Nics != nil {
		if edit.nics, err = c.newNICEdits(v, data.Nics); err != nil {
			return nil, err
		}
	}

	edit.disks, err = c.newDiskEdit(v, data.Disks)

	return edit, err
}

// newNICEdits returns the NICs that a VM has after an edit. A NIC that is
// deleted and created with the same MAC address stays the same NIC.
func (c *call) newNICEdits(v *vm, in *nicsInput) ([]editedNIC, error) {
	var dropped []*nic

	for _, d := range in.Delete {
		n := c.vmNICByID(v, d.ID)
		if n == nil {
			return nil, notFound("The VM %s has no NIC %s", v.row.Name, d.ID)
		}

		dropped = append(dropped, n)
	}

	var after []editedNIC

	for _, n := range v.nics {
		if !slices.Contains(dropped, n) {
			after = append(after, editedNIC{kept: n})
		}
	}

	for i := range in.Create {
		made, err := c.newNIC(v, &in.Create[i])
		if err != nil {
			return nil, err
		}

		for _, other := range after {
			if mac := made.config.mac; mac != "" && strings.EqualFold(other.mac(), mac) {
				return nil, badRequest("vm_nics.create: two NICs have the MAC address %s", mac)
			}
		}

		for _, n := range dropped {
			if strings.EqualFold(n.mac, made.config.mac) {
				made.kept = n
			}
		}

		after = append(after, made)
	}

	return after, nil
}

// vmNICByID returns the NIC of a VM that has, or had before an edit, an id.
func (w *world) vmNICByID(v *vm, id string) *nic {
	n, ok := w.nics.get(id)
	if !ok {
		n = w.formerNICs[id]
	}

	if n == nil || n.vm != v {
		return nil
	}

	return n
}

func (c *call) newNIC(v *vm, in *nicInput) (editedNIC, error) {
	if id := in.Nic.id(); id != "" {
		return editedNIC{}, notFound("There is no host NIC %s", id)
	}

	// A switch that was not sent is off.
	off := false
	enabled, mirror := in.Enabled, in.Mirror

	if enabled == nil {
		enabled = &off
	}

	if mirror == nil {
		mirror = &off
	}

	mac := in.MACAddress
	if deref(mac) == "" {
		mac = nil
	}

	shapes, err := c.nicConfigs([]wire.VMNicParams{{
		ConnectVlanID: wire.Ptr(in.Vlan.id()), Enabled: enabled, Mirror: mirror, Model: in.Model, MACAddress: mac,
		IPAddress: in.IPAddress, SubnetMask: in.SubnetMask, Gateway: in.Gateway,
	}}, v.cluster)
	if err != nil {
		return editedNIC{}, err
	}

	made := editedNIC{config: shapes[0], from: in}
	made.edit = nicEdit{vlanID: wire.Ptr(in.Vlan.id()), enabled: enabled, mirror: mirror, model: in.Model}

	if deref(in.IPAddress) != "" {
		made.edit.ip, made.edit.mask, made.edit.gateway = in.IPAddress, in.SubnetMask, in.Gateway
	}

	return made, nil
}

// needsTools reports whether an edit needs the VM tools of the guest.
func (e *vmEdit) needsTools() bool {
	return deref(e.guest.Hostname) != "" || deref(e.guest.DNSServers) != "" ||
		slices.ContainsFunc(e.nics, func(n editedNIC) bool { return n.edit.setsAddress() })
}

// applyVMEdit carries out an edit, completely or not at all.
func (w *world) applyVMEdit(e *vmEdit) *taskFailure {
	v := e.vm

	if e.needsTools() && v.row.VMToolsStatus != wire.VMToolsStatusRunning {
		return failure("VM_TOOLS_NOT_RUNNING", "The VM tools of the VM %s are not running.", v.row.Name)
	}

	if failed := w.checkDiskEdit(e.disks); failed != nil {
		return failed
	}

	if failed := w.prepareNewNICs(e); failed != nil {
		return failed
	}

	if failed := w.editVM(v, &e.basic); failed != nil {
		return failed
	}

	if !e.noNics {
		w.replaceNICs(v, e.nics)
	}

	w.editDisks(e.disks)

	if deref(e.guest.Hostname) != "" {
		v.row.Hostname = e.guest.Hostname
	}

	if deref(e.guest.DNSServers) != "" {
		v.row.DNSServers = e.guest.DNSServers
	}

	w.renewPartIDs(v)

	return nil
}

// prepareNewNICs completes the NICs that an edit adds.
func (w *world) prepareNewNICs(e *vmEdit) *taskFailure {
	var added []*nicConfig

	for i := range e.nics {
		if e.nics[i].kept == nil {
			added = append(added, &e.nics[i].config)
		}
	}

	leaving := slices.DeleteFunc(slices.Clone(e.vm.nics), func(n *nic) bool {
		return slices.ContainsFunc(e.nics, func(x editedNIC) bool { return x.kept == n })
	})

	prepared, failed := w.prepareNICs(mapSlice(added, func(s *nicConfig) nicConfig { return *s }), e.vm.cluster, leaving)
	if failed != nil {
		return failed
	}

	for i := range prepared {
		*added[i] = prepared[i]
	}

	return nil
}

// replaceNICs gives a VM the NICs of an edit, in their order.
func (w *world) replaceNICs(v *vm, after []editedNIC) {
	for _, n := range slices.Clone(v.nics) {
		if !slices.ContainsFunc(after, func(x editedNIC) bool { return x.kept == n }) {
			w.removeNIC(n)
		}
	}

	order := make([]*nic, len(after))
	for i := range after {
		n := after[i].kept

		switch {
		case n == nil:
			n = w.addNIC(v, &after[i].config)
			w.editNIC(n, &nicEdit{ip: after[i].edit.ip, mask: after[i].edit.mask, gateway: after[i].edit.gateway})

			if !after[i].edit.setsAddress() {
				w.hotPlug(n)
			}
		case after[i].from != nil:
			w.editNIC(n, &after[i].edit)
		}

		order[i] = n
	}

	v.nics = order
}

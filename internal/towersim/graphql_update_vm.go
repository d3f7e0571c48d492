// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// vmUpdateInput is the data of the GraphQL mutation updateVm. What is nil was not
// sent.
type vmUpdateInput struct {
	_ struct{} `wire:"closed"`
	Name        *string `json:"name"`
	Description *string `json:"description"`
	Memory      *int64  `json:"memory"`
	HA          *bool   `json:"ha"`
	VCPU        *int    `json:"vcpu"`
	CPU         *struct {
		_       struct{} `wire:"closed"`
		Cores   *int `json:"cores"`
		Sockets *int `json:"sockets"`
	} `json:"cpu"`
	VMNics *struct {
		_      struct{}     `wire:"closed"`
		Create []vmNicInput `json:"create"`
		Delete []gqlID      `json:"delete"`
	} `json:"vm_nics"`
	VMDisks *struct {
		_      struct{}      `wire:"closed"`
		Create []vmDiskInput `json:"create"`
		Delete []gqlID       `json:"delete"`
		Update []struct {
			_     struct{}    `wire:"closed"`
			Where gqlID       `json:"where"`
			Data  vmDiskInput `json:"data"`
		} `json:"update"`
	} `json:"vm_disks"`
}

type gqlID struct {
	_ struct{} `wire:"closed"`
	ID string `json:"id"`
}

// gqlRelation is how GraphQL inputs refer to objects that exist.
type gqlRelation struct {
	_ struct{} `wire:"closed"`
	Connect    *gqlID `json:"connect"`
	Disconnect *bool  `json:"disconnect"`
}

type vmNicInput struct {
	_ struct{} `wire:"closed"`
	Enabled    *bool            `json:"enabled"`
	Mirror     *bool            `json:"mirror"`
	Gateway    *string          `json:"gateway"`
	IPAddress  *string          `json:"ip_address"`
	SubnetMask *string          `json:"subnet_mask"`
	MACAddress *string          `json:"mac_address"`
	Model      *wire.VMNicModel `json:"model"`
	Vlan       *gqlRelation     `json:"vlan"`
	// LocalID and Nic come along empty.
	LocalID *string      `json:"local_id"`
	Nic     *gqlRelation `json:"nic"`
}

type vmDiskInput struct {
	_ struct{} `wire:"closed"`
	Boot     *int             `json:"boot"`
	Bus      *wire.Bus        `json:"bus"`
	Key      *int             `json:"key"`
	Type     *wire.VMDiskType `json:"type"`
	Disabled *bool            `json:"disabled"`
	ElfImage *gqlRelation     `json:"elf_image"`
	VMVolume *struct {
		_          struct{}       `wire:"closed"`
		Connect    *gqlID         `json:"connect"`
		Disconnect *bool          `json:"disconnect"`
		Create     *vmVolumeInput `json:"create"`
	} `json:"vm_volume"`
}

// vmVolumeInput describes a new volume or, in a disk that stays, what its volume
// is to be like. Of the latter only the size can change.
type vmVolumeInput struct {
	_ struct{} `wire:"closed"`
	Name             string                            `json:"name"`
	Path             string                            `json:"path"`
	Size             int64                             `json:"size"`
	Sharing          bool                              `json:"sharing"`
	ElfStoragePolicy wire.VMVolumeElfStoragePolicyType `json:"elf_storage_policy"`
	// What follows is not for callers to choose.
	LocalCreatedAt string       `json:"local_created_at"`
	LocalID        string       `json:"local_id"`
	Mounting       bool         `json:"mounting"`
	Cluster        *gqlRelation `json:"cluster"`
}

// diskEdit is what is to become of one disk that stays.
type diskEdit struct {
	disk  *disk
	data  *vmDiskInput
	image *image
}

// vmEdit is an update with all of its references resolved.
type vmEdit struct {
	basic     wire.VMUpdateParamsData
	addNICs   []nicShape
	dropNICs  []*nic
	listDisks bool // the disks that are listed are all that stay
	edits     []diskEdit
	addDisks  []diskShape
}

// graphQLUpdateVM edits a VM as Tower's web interface does: everything in one
// mutation, and for the disks, unless left out, all that the VM shall have. The
// task has to be looked for.
func (c *call) graphQLUpdateVM(field gqlField, variables map[string]any) (any, error) {
	if err := c.authenticate(graphQLName); err != nil {
		return nil, err
	}

	var where wire.VMWhereUniqueInput
	if err := field.input(variables, "where", &where); err != nil {
		return nil, err
	}

	var data vmUpdateInput
	if err := field.input(variables, "data", &data); err != nil {
		return nil, err
	}

	if where.ID.Ptr() == nil && where.LocalID.Ptr() == nil {
		return nil, badRequest("updateVm: the argument where must have id or local_id")
	}

	v, err := c.uniqueVM(&where)
	if err != nil {
		return nil, err
	}

	e, err := c.resolveEdit(v, &data)
	if err != nil {
		return nil, err
	}

	_, err = c.changeVMs([]*vm{v}, vmWork{
		mutation: "updateVm", about: named("Edit VM", "编辑虚拟机"),
		apply: func(v *vm) *taskFailure { return c.applyEdit(v, e) },
	})
	if err != nil {
		return nil, err
	}

	return field.pick(map[string]any{"id": v.row.ID, "local_id": v.row.LocalID, "name": v.row.Name}), nil
}

func (c *call) resolveEdit(v *vm, data *vmUpdateInput) (*vmEdit, error) {
	e := &vmEdit{basic: wire.VMUpdateParamsData{
		Name: data.Name, Description: data.Description, Memory: data.Memory, HA: data.HA, VCPU: data.VCPU,
	}}

	if data.CPU != nil {
		e.basic.CPUCores, e.basic.CPUSockets = data.CPU.Cores, data.CPU.Sockets
	}

	if err := nonEmpty("data.name", data.Name); err != nil {
		return nil, err
	}

	if data.Memory != nil && *data.Memory <= 0 {
		return nil, badRequest("data.memory: must be more than 0")
	}

	if err := c.resolveNICs(v, data, e); err != nil {
		return nil, err
	}

	return e, c.resolveDisks(v, data, e)
}

func (c *call) resolveNICs(v *vm, data *vmUpdateInput, e *vmEdit) error {
	if data.VMNics == nil {
		return nil
	}

	for _, gone := range data.VMNics.Delete {
		n, ok := c.nics.get(gone.ID)
		if !ok || n.vm != v {
			return notFound("The VM %s has no NIC %s", v.row.Name, gone.ID)
		}

		e.dropNICs = append(e.dropNICs, n)
	}

	params := make([]wire.VMNicParams, len(data.VMNics.Create))
	for i := range data.VMNics.Create {
		in := &data.VMNics.Create[i]
		params[i] = wire.VMNicParams{
			ConnectVlanID: wire.Ptr(in.Vlan.id()), Enabled: in.Enabled, Mirror: in.Mirror, Model: in.Model,
			IPAddress: in.IPAddress, SubnetMask: in.SubnetMask, Gateway: in.Gateway, MACAddress: textOrNull(valueOf(in.MACAddress)),
		}
	}

	var err error

	e.addNICs, err = c.nicShapes(params, v.cluster)

	return err
}

// id is that of the object that a relation connects to, "" if it names none.
func (r *gqlRelation) id() string {
	if r == nil || r.Connect == nil {
		return ""
	}

	return r.Connect.ID
}

func (c *call) resolveDisks(v *vm, data *vmUpdateInput, e *vmEdit) error {
	if data.VMDisks == nil {
		return nil
	}

	e.listDisks = true

	for _, gone := range data.VMDisks.Delete {
		if c.diskOf(v, gone.ID) == nil {
			return notFound("The VM %s has no disk %s", v.row.Name, gone.ID)
		}
	}

	for i := range data.VMDisks.Update {
		in := &data.VMDisks.Update[i]

		d := c.diskOf(v, in.Where.ID)
		if d == nil {
			return notFound("The VM %s has no disk %s", v.row.Name, in.Where.ID)
		}

		mounted, err := c.imageNamed(textOrNull(in.Data.ElfImage.id()), nil, v.cluster)
		if err != nil {
			return err
		}

		e.edits = append(e.edits, diskEdit{disk: d, data: &in.Data, image: mounted})
	}

	params, err := data.newDisks()
	if err != nil {
		return err
	}

	e.addDisks, err = c.diskShapes(params, v.cluster)

	return err
}

// newDisks turns the disks that are to be made into what other operations take.
func (data *vmUpdateInput) newDisks() (*wire.VMDiskParams, error) {
	params := &wire.VMDiskParams{}

	for i := range data.VMDisks.Create {
		in := &data.VMDisks.Create[i]
		boot, bus := 0, wire.BusVirtio
		assign(&boot, in.Boot)
		assign(&bus, in.Bus)

		switch {
		case in.Type != nil && *in.Type == wire.VMDiskTypeCdRom:
			params.MountCdRoms = append(params.MountCdRoms, wire.VMCdRomParams{
				Boot: boot, Key: in.Key, ElfImageID: textOrNull(in.ElfImage.id()),
			})
		case in.VMVolume == nil || in.VMVolume.Connect == nil && in.VMVolume.Create == nil:
			return nil, badRequest("data.vm_disks.create[%d].vm_volume: a disk needs a volume", i)
		case in.VMVolume.Connect != nil:
			params.MountDisks = append(params.MountDisks, wire.MountDisksParams{
				Boot: boot, Bus: bus, Key: in.Key, VMVolumeID: in.VMVolume.Connect.ID,
			})
		default:
			made := wire.MountNewCreateDisksParams{Boot: boot, Bus: bus, Key: in.Key}
			made.VMVolume.Name, made.VMVolume.Size = in.VMVolume.Create.Name, in.VMVolume.Create.Size
			made.VMVolume.ElfStoragePolicy = in.VMVolume.Create.ElfStoragePolicy
			params.MountNewCreateDisks = append(params.MountNewCreateDisks, made)
		}
	}

	return params, nil
}

// applyEdit makes an update, all of it or nothing.
func (w *world) applyEdit(v *vm, e *vmEdit) *taskFailure {
	for _, edit := range e.edits {
		if failed := edit.possible(w); failed != nil {
			return failed
		}
	}

	if failed := w.attachable(v, e.addDisks); failed != nil {
		return failed
	}

	// The basic data comes last of what may fail.
	if failed := w.editVM(v, &e.basic); failed != nil {
		return failed
	}

	for _, n := range e.dropNICs {
		w.unplug(n)
	}

	plugged := make([]*nic, len(e.addNICs))
	for i := range e.addNICs {
		plugged[i] = w.plugIn(v, &e.addNICs[i])
	}

	if e.listDisks {
		w.listDisks(v, e)
	}

	w.renew(v)

	for _, n := range plugged {
		w.hotPlug(n)
	}

	return nil
}

// possible refuses what cannot become of a disk.
func (e *diskEdit) possible(w *world) *taskFailure {
	if failed := e.disk.changeable(e.data.Bus, e.disk.volume); failed != nil {
		return failed
	}

	wanted := e.data.VMVolume
	if wanted == nil || wanted.Create == nil || e.disk.volume == nil {
		return nil
	}

	row := &e.disk.volume.row
	if wanted.Create.Size < row.Size {
		return failure("VM_VOLUME_SIZE_ERROR", "The volume %s cannot be reduced.", row.Name)
	}

	return w.hasSpace(e.disk.vm.cluster, (wanted.Create.Size-row.Size)*replicas(row.ElfStoragePolicy))
}

// listDisks leaves a VM the disks that were listed, as they were listed, and adds
// the new ones. Volumes outlive the disks that go.
func (w *world) listDisks(v *vm, e *vmEdit) {
	for _, d := range slices.Clone(v.disks) {
		listed := slices.ContainsFunc(e.edits, func(x diskEdit) bool { return x.disk == d })
		if !listed && !d.hidden() {
			w.detach(d)
		}
	}

	for _, x := range e.edits {
		assign(&x.disk.row.Boot, x.data.Boot)
		assign(&x.disk.row.Bus, x.data.Bus)

		if x.data.Disabled != nil {
			x.disk.row.Disabled = x.data.Disabled
		}

		if x.data.ElfImage != nil {
			x.disk.image, x.disk.tools = x.image, nil
			x.disk.showImage()
		}

		if wanted := x.data.VMVolume; wanted != nil && wanted.Create != nil && x.disk.volume != nil {
			x.disk.volume.row.Size = wanted.Create.Size
		}
	}

	for i := range e.addDisks {
		w.attach(v, &e.addDisks[i])
	}
}

// input reads an argument of a field into a struct. Members that it does not
// have are refused, as GraphQL's inputs are closed.
func (f gqlField) input(variables map[string]any, name string, into any) error {
	value, given := f.arguments[name]
	if !given {
		return badRequest("%s: the argument %s is required", f.name, name)
	}

	raw, err := json.Marshal(deeply(value, variables))
	if err != nil {
		return badRequest("%s: the argument %s: %s", f.name, name, err)
	}

	if err := wire.Decode(raw, into); err != nil {
		return badRequest("%s: the argument %s: %s", f.name, name, err)
	}

	return nil
}

// deeply puts the values of variables into a value, however deep they are in it.
// Members that are null are as good as absent.
func deeply(value any, variables map[string]any) any {
	switch x := substituted(value, variables).(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for key, member := range x {
			if member = deeply(member, variables); member != nil {
				out[key] = member
			}
		}

		return out
	case []any:
		return mapped(x, func(item any) any { return deeply(item, variables) })
	default:
		return x
	}
}

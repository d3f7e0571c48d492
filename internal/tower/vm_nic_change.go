// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"fmt"
	"strings"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

const (
	opAddNIC          = "add-vm-nic"
	opRemoveNIC       = "remove-vm-nic"
	opRemoveNICWhere  = "remove-vm-nic-by-where"
	opUpdateNIC       = "update-vm-nic"
	opUpdateNICDevice = "update-vm-nic-advance-info"
	opUpdateNICGuest  = "update-vm-nic-basic-info"
)

// NICUpdate says what to change of a NIC itself, not of the address that its guest has; what is nil stays.
type NICUpdate struct {
	VLANID  *string
	MAC     *string
	Enabled *bool
	Mirror  *bool
	Model   *string // VIRTIO, E1000
}

// NICAddress is the static address that the guest's tools give a NIC.
type NICAddress struct {
	IPAddress, Netmask string
	Gateway            string // "" = not changed
}

// AddVMNICs plugs NICs in, after those that the VM has, in the order given. It works on a running VM, too.
func (c *Client) AddVMNICs(ctx context.Context, vmID string, nics []NICCreate) error {
	if len(nics) == 0 {
		return nil
	}
	data := &models.VMAddNicParamsData{}
	for _, nic := range nics {
		data.VMNics = append(data.VMNics, nic.params())
	}
	op := change[VM]{name: opAddNIC, submit: func(ctx context.Context, id string) ([]receipt, error) {
		return receipts(vm.New(c.sdk()).AddVMNic(vm.NewAddVMNicParamsWithContext(ctx).WithRequestBody(&models.VMAddNicParams{Where: whereVM(id), Data: data})))
	}}
	return c.vms.apply(ctx, vmID, op)
}

// RemoveVMNIC unplugs the NIC with the given MAC. One that is not there is success.
func (c *Client) RemoveVMNIC(ctx context.Context, vmID, mac string) error {
	name := opRemoveNICWhere
	if versionBefore(c.Version(), 3, 3) {
		name = opRemoveNIC
	}
	return c.vms.withLock(ctx, name, vmID, func() error {
		if _, found, err := c.nicByMAC(ctx, vmID, mac); err != nil || !found {
			return err
		}
		return c.vms.carryOut(ctx, vmID, c.removingNIC(name, vmID, mac))
	})
}

// removingNIC resolves the NIC anew at each try: Tower renames and renumbers NICs at every edit.
func (c *Client) removingNIC(name, vmID, mac string) change[VM] {
	return change[VM]{name: name, submit: func(ctx context.Context, id string) ([]receipt, error) {
		nic, found, err := c.nicByMAC(ctx, vmID, mac)
		if err != nil || !found {
			return nil, nicGone(name, vmID, mac, err)
		}
		if name == opRemoveNIC {
			index := int32(nic.Order) //nolint:gosec // a VM has no more than a handful
			body := &models.VMRemoveNicParams{Where: whereVM(id), Data: &models.VMRemoveNicParamsData{NicIndex: []int32{index}}}
			return receipts(vm.New(c.sdk()).RemoveVMNic(vm.NewRemoveVMNicParamsWithContext(ctx).WithRequestBody(body)))
		}
		body := &models.VMRemoveNicByWhereParams{
			Where: whereNIC(nic.ID), Effect: &models.VMRemoveNicByWhereParamsEffect{VMIds: []string{vmID}},
		}
		return receipts(vm.New(c.sdk()).RemoveVMNicByWhere(vm.NewRemoveVMNicByWhereParamsWithContext(ctx).WithRequestBody(body)))
	}}
}

// UpdateVMNIC changes the NIC with the given MAC itself. The VM's other NICs stay as they are.
func (c *Client) UpdateVMNIC(ctx context.Context, vmID, mac string, in NICUpdate) error {
	if in == (NICUpdate{}) {
		return nil
	}
	name := opUpdateNICDevice
	if in.Model != nil {
		name = opUpdateNIC // the only call that takes a model
	}
	op := change[VM]{name: name, submit: func(ctx context.Context, id string) ([]receipt, error) {
		nic, found, err := c.nicByMAC(ctx, vmID, mac)
		if err != nil || !found {
			return nil, nicGone(name, vmID, mac, err)
		}
		if in.Model != nil {
			index := int32(nic.Order) //nolint:gosec // a VM has no more than a handful
			body := &models.VMUpdateNicParams{Where: whereVM(id), Data: &models.VMUpdateNicParamsData{
				NicIndex: &index, ConnectVlanID: in.VLANID, MacAddress: in.MAC, Enabled: in.Enabled, Mirror: in.Mirror, Model: enum[models.VMNicModel](in.Model),
			}}
			return receipts(vm.New(c.sdk()).UpdateVMNic(vm.NewUpdateVMNicParamsWithContext(ctx).WithRequestBody(body)))
		}
		body := &models.VMUpdateNicAdvanceInfoParams{Where: whereNIC(nic.ID), Data: &models.VMUpdateNicAdvanceInfoParamsData{
			ConnectVlanID: in.VLANID, MacAddress: in.MAC, Enabled: in.Enabled, Mirror: in.Mirror,
		}}
		return receipts(vm.New(c.sdk()).UpdateVMNicAdvanceInfo(vm.NewUpdateVMNicAdvanceInfoParamsWithContext(ctx).WithRequestBody(body)))
	}}
	return c.vms.apply(ctx, vmID, op)
}

// ConfigureVMNIC has the guest's tools give a static address to the NIC with the given MAC. The VM must run,
// and its tools, too.
func (c *Client) ConfigureVMNIC(ctx context.Context, vmID, mac string, in NICAddress) error {
	op := change[VM]{name: opUpdateNICGuest, submit: func(ctx context.Context, _ string) ([]receipt, error) {
		nic, found, err := c.nicByMAC(ctx, vmID, mac)
		if err != nil || !found {
			return nil, nicGone(opUpdateNICGuest, vmID, mac, err)
		}
		body := &models.VMUpdateNicBasicInfoParams{Where: whereNIC(nic.ID), Data: &models.VMUpdateNicBasicInfoParamsData{
			IPAddress: ptr(in.IPAddress), SubnetMask: ptr(in.Netmask), Gateway: optional(in.Gateway),
		}}
		return receipts(vm.New(c.sdk()).UpdateVMNicBasicInfo(vm.NewUpdateVMNicBasicInfoParamsWithContext(ctx).WithRequestBody(body)))
	}}
	return c.vms.apply(ctx, vmID, op)
}

// nicByMAC finds a VM's NIC as Tower numbers it now.
func (c *Client) nicByMAC(ctx context.Context, vmID, mac string) (VMNIC, bool, error) {
	nics, err := c.VMNICs(ctx, vmID)
	for _, nic := range nics {
		if nic.ID != "" && mac != "" && strings.EqualFold(nic.MAC, mac) {
			return nic, true, nil
		}
	}
	return VMNIC{}, false, err
}

// whereNIC names one NIC. Tower acts on every NIC that a filter matches, and an empty one matches all.
func whereNIC(id string) *models.VMNicWhereInput { return &models.VMNicWhereInput{ID: ptr(id)} }

// nicGone is the error of an operation on a NIC that can't be found.
func nicGone(op, vmID, mac string, err error) error {
	if err != nil {
		return err
	}
	return notFound(op, fmt.Sprintf("VM %s has no NIC with the MAC address %s", vmID, mac))
}

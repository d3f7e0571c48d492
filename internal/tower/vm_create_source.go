// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"encoding/json"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

const (
	opCreateBlank        = "create-vm"
	opCreate             = "create-vm-from-content-library-template"
	opCreateFromTemplate = "create-vm-from-template"
	opClone              = "clone-vm"
	opRebuild            = "rebuild-vm-from-snapshot"
)

// CreateVM has a VM created. The caller has found the name free in the cluster.
//
// One create call takes effect at most: it is repeated only when no connection could be made, or after a refusal that
// says that nothing was done (401, 429, ResourceLocked). Once it is on its way it outlives ctx, so that the id of what was
// created is not lost. If its outcome is not known, the name is looked up several times: a single VM that has appeared
// there is adopted, otherwise the error is an *AmbiguousError.
//
// Tower gets at most 20 creates at a time; CreateVM waits for one of the places, which is held until Wait returns or
// Release is called.
func (c *Client) CreateVM(ctx context.Context, in VMCreate) (*Creation[VM], error) {
	call, err := in.call()
	if err != nil {
		return nil, err
	}
	return c.vms.create(ctx, creation[VM]{
		operation: call.operation, name: in.Name, clusterID: in.ClusterID, nameIsFree: true, limited: true, ready: (*VM).HasRealLocalID,
		send:      func(ctx context.Context) ([]receipt, error) { return call.send(ctx, vm.New(c.sdk())) },
		namesakes: func(ctx context.Context) ([]VM, error) { return c.VMsByName(ctx, in.ClusterID, in.Name) },
	})
}

// createCall is the operation that makes VMs from one kind of source.
type createCall struct {
	operation string
	send      func(ctx context.Context, vms vm.ClientService) ([]receipt, error)
}

// call chooses the operation by the source. The requests of the operations name the same things alike, so what one takes
// is described once, by library, and copied to the others.
func (in VMCreate) call() (createCall, error) {
	var calls []createCall
	if in.ContentLibraryVMTemplateID != "" {
		calls = append(calls, createCall{opCreate, in.fromLibrary})
	}
	if in.VMTemplateID != "" {
		calls = append(calls, createCall{opCreateFromTemplate, in.fromTemplate})
	}
	if in.SourceVMID != "" {
		calls = append(calls, createCall{opClone, in.clone})
	}
	if in.VMSnapshotID != "" {
		calls = append(calls, createCall{opRebuild, in.rebuild})
	}
	if len(calls) == 0 {
		if in.Firmware == nil || in.HA == nil || in.CPUCores == nil || in.CPUSockets == nil || in.MemoryBytes == nil {
			return createCall{}, &Error{Operation: opCreateBlank, Class: ClassRefused, Message: "a blank VM needs firmware, HA, CPUs and memory"}
		}
		calls = append(calls, createCall{opCreateBlank, in.blank})
	}
	if in.Name == "" || in.ClusterID == "" || len(calls) != 1 {
		return createCall{}, &Error{Operation: opCreateBlank, Class: ClassRefused, Message: "name, cluster and at most one source are needed"}
	}
	return calls[0], nil
}

// library is the request of create-vm-from-content-library-template.
func (in VMCreate) library() *models.VMCreateVMFromContentLibraryTemplateParams {
	status := models.VMStatusSTOPPED
	if in.Running {
		status = models.VMStatusRUNNING
	}
	out := &models.VMCreateVMFromContentLibraryTemplateParams{
		Name: ptr(in.Name), ClusterID: ptr(in.ClusterID), TemplateID: ptr(in.ContentLibraryVMTemplateID), IsFullCopy: ptr(in.FullCopy),
		Description: in.Description, FolderID: in.FolderID, HostID: in.HostID, GuestOsType: enum[models.VMGuestsOperationSystem](in.GuestOSType),
		Firmware: enum[models.VMFirmware](in.Firmware), Ha: in.HA,
		CPUSockets: int32s(in.CPUSockets), CPUCores: int32s(in.CPUCores), Memory: in.MemoryBytes, Status: &status,
	}
	if in.CPUSockets != nil && in.CPUCores != nil {
		out.Vcpu = ptr(*out.CPUSockets * *out.CPUCores)
	}
	if in.Owner != nil {
		out.Owner = &models.VMOwnerParams{SearchFor: optional(in.Owner.SearchFor), Value: ptr(in.Owner.Value)}
	}
	if in.PlacementGroupID != "" {
		out.VMPlacementGroup = &models.VMPlacementGroupWhereInput{ID: ptr(in.PlacementGroupID)}
	}
	if in.NICs != nil {
		out.VMNics = make([]*models.VMNicParams, 0, len(in.NICs))
		for _, nic := range in.NICs {
			out.VMNics = append(out.VMNics, nic.params())
		}
	}
	if in.CloudInit != nil {
		out.CloudInit = in.CloudInit.params()
	}
	out.DiskOperate = in.diskOperate()
	if len(in.GPUs) > 0 {
		out.GpuDevices = gpuParams(in.GPUs)
	}
	return out
}

func (in VMCreate) fromLibrary(ctx context.Context, vms vm.ClientService) ([]receipt, error) {
	body := []*models.VMCreateVMFromContentLibraryTemplateParams{in.library()}
	return receipts(vms.CreateVMFromContentLibraryTemplate(vm.NewCreateVMFromContentLibraryTemplateParamsWithContext(ctx).WithRequestBody(body)))
}

func (in VMCreate) fromTemplate(ctx context.Context, vms vm.ClientService) ([]receipt, error) {
	params, err := like[models.VMCreateVMFromTemplateParams](in.library())
	if err != nil {
		return nil, err
	}
	params.TemplateID = ptr(in.VMTemplateID)
	return receipts(vms.CreateVMFromTemplate(vm.NewCreateVMFromTemplateParamsWithContext(ctx).WithRequestBody([]*models.VMCreateVMFromTemplateParams{params})))
}

func (in VMCreate) clone(ctx context.Context, vms vm.ClientService) ([]receipt, error) {
	params, err := like[models.VMCloneParams](in.library())
	if err != nil {
		return nil, err
	}
	params.SrcVMID, params.IsFullCopy = ptr(in.SourceVMID), in.fullCopy()
	return receipts(vms.CloneVM(vm.NewCloneVMParamsWithContext(ctx).WithRequestBody([]*models.VMCloneParams{params})))
}

func (in VMCreate) rebuild(ctx context.Context, vms vm.ClientService) ([]receipt, error) {
	params, err := like[models.VMRebuildParams](in.library())
	if err != nil {
		return nil, err
	}
	params.RebuildFromSnapshotID, params.IsFullCopy = ptr(in.VMSnapshotID), in.fullCopy()
	return receipts(vms.RebuildVM(vm.NewRebuildVMParamsWithContext(ctx).WithRequestBody([]*models.VMRebuildParams{params})))
}

// like returns a request of another operation that says the same, as far as both have the members.
func like[To, From any](from *From) (*To, error) {
	raw, err := json.Marshal(from)
	if err != nil {
		return nil, err
	}
	to := new(To)
	return to, json.Unmarshal(raw, to)
}

// fullCopy is sent to clones only where it is wanted: Tower has not always known it there, and shares blocks without it.
func (in VMCreate) fullCopy() *bool {
	if !in.FullCopy {
		return nil
	}
	return ptr(true)
}

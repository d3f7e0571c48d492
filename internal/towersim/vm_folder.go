// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// VM folders exist only in Tower, so creating, renaming and deleting them needs
// no task. VMs move between folders by tasks.

func createVMFolder(c *call, in *[]wire.VMFolderCreationParams) (any, error) {
	folders, err := planEach(*in, func(_ int, p *wire.VMFolderCreationParams) (*folder, error) {
		of, err := c.clusterByID(p.ClusterID)
		if err != nil {
			return nil, err
		}

		f := &folder{cluster: of}
		f.row = wire.VMFolder{
			ID: c.ids.cuid(), LocalID: wire.Ptr(c.ids.uuid()), Name: p.Name, Cluster: of.nested(), VMNum: wire.Ptr(0), VMs: []wire.NestedVM{},
		}

		return f, nil
	})
	if err != nil {
		return nil, err
	}

	if err := c.checkFolderNames("name", folders, func(f *folder) string { return f.row.Name }); err != nil {
		return nil, err
	}

	return mapSlice(folders, func(f *folder) wire.WithTask[*wire.VMFolder] {
		c.folders.add(f)

		return withoutTask(&f.row)
	}), nil
}

// checkFolderNames refuses the new names of folders if one is empty or if
// another folder of the same cluster has it.
func (w *world) checkFolderNames(field string, folders []*folder, name func(*folder) string) error {
	type key struct {
		cluster *cluster
		name    string
	}

	taken := map[key]bool{}

	for _, f := range w.folders.list {
		taken[key{f.cluster, f.row.Name}] = true
	}

	for _, f := range folders {
		if _, exists := w.folders.get(f.row.ID); exists {
			delete(taken, key{f.cluster, f.row.Name})
		}
	}

	for _, f := range folders {
		wanted := name(f)
		if err := checkNotEmpty(field, &wanted); err != nil {
			return err
		}

		if taken[key{f.cluster, wanted}] {
			return badRequest("VM_FOLDER_DUPLICATED_NAME: the name %s is used by another VM folder", wanted)
		}

		taken[key{f.cluster, wanted}] = true
	}

	return nil
}

func updateVMFolder(c *call, in *wire.VMFolderUpdationParams) (any, error) {
	folders, err := matching(c.world, &c.folders, wire.EntityVMFolder, in.Where)
	if err != nil {
		return nil, err
	}

	if err := c.checkFolderNames("body.data.name", folders, func(*folder) string { return in.Data.Name }); err != nil {
		return nil, err
	}

	c.derive() // the replies list the folders' VMs

	return mapSlice(folders, func(f *folder) wire.WithTask[*wire.VMFolder] {
		f.row.Name = in.Data.Name

		for _, v := range c.folderVMs(f) {
			c.refreshVM(v)
		}

		return withoutTask(&f.row)
	}), nil
}

// folderVMs returns the VMs in a folder, also those that are hidden from the
// API.
func (w *world) folderVMs(f *folder) []*vm {
	return filterSlice(w.vms.list, func(v *vm) bool { return v.folder == f })
}

// deleteVMFolder deletes folders. Their VMs stay, without a folder.
func deleteVMFolder(c *call, in *wire.VMFolderDeletionParams) (any, error) {
	folders, err := matching(c.world, &c.folders, wire.EntityVMFolder, in.Where)
	if err != nil {
		return nil, err
	}

	return mapSlice(folders, func(f *folder) wire.WithTask[wire.Deleted] {
		c.folders.remove(f)

		for _, v := range c.folderVMs(f) {
			v.folder = nil
			c.refreshVM(v)
		}

		return withoutTask(deletedReply(f))
	}), nil
}

func addVMToFolder(c *call, in *wire.VMAddFolderParams) (any, error) {
	into, ok := c.folders.get(in.Data.FolderID)
	if !ok {
		return nil, notFound("There is no VM folder %s", in.Data.FolderID)
	}

	return c.moveToFolder(in.Where, into)
}

func removeVMFromFolder(c *call, in *wire.VMOperateParams) (any, error) {
	return c.moveToFolder(in.Where, nil)
}

// moveToFolder moves VMs into a folder, or out of their folders if it is nil.
func (c *call) moveToFolder(where json.RawMessage, into *folder) (any, error) {
	return c.changeMatchingVMs(where, vmChange{
		mutation: "updateVm", description: describeVM("Move VM to another folder", "移动虚拟机到分组"),
		apply: func(v *vm) *taskFailure {
			if failed := c.checkFolder(into, v); failed != nil {
				return failed
			}

			v.folder = into
			c.renewPartIDs(v)

			return nil
		},
	})
}

// checkFolder refuses a folder that was deleted or is in another cluster than
// the VM.
func (w *world) checkFolder(into *folder, v *vm) *taskFailure {
	if into == nil {
		return nil
	}

	if _, exists := w.folders.get(into.row.ID); !exists {
		return failure("VM_FOLDER_NOT_FOUND", "The VM folder %s is gone.", into.row.Name)
	}

	if into.cluster != v.cluster {
		return failure("VM_FOLDER_NOT_FOUND", "The VM folder %s is in another cluster.", into.row.Name)
	}

	return nil
}

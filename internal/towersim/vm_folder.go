// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// Folders live in Tower alone, so that what is done to them needs no task.

func createVMFolder(c *call, in *[]wire.VMFolderCreationParams) (any, error) {
	if err := atLeastOne(*in); err != nil {
		return nil, err
	}

	folders := make([]*folder, len(*in))

	for i, p := range *in {
		of, err := c.clusterNamed(p.ClusterID)
		if err != nil {
			return nil, err
		}

		if err := nonEmpty("name", &p.Name); err != nil {
			return nil, err
		}

		if err := c.folderTaken(of, p.Name, nil); err != nil {
			return nil, err
		}

		f := &folder{cluster: of}
		f.row = wire.VMFolder{ID: c.ids.cuid(), LocalID: wire.Ptr(c.ids.uuid()), Name: p.Name, Cluster: of.nested()}
		folders[i] = f
	}

	return mapped(folders, func(f *folder) wire.WithTask[*wire.VMFolder] {
		f.row.VMNum, f.row.VMs = wire.Ptr(0), []wire.NestedVM{}
		c.folders.add(f)

		return done(&f.row)
	}), nil
}

func (w *world) folderTaken(of *cluster, name string, except *folder) error {
	for _, f := range w.folders.list {
		if f != except && f.cluster == of && f.row.Name == name {
			return badRequest("VM_FOLDER_DUPLICATED_NAME: there is a VM group %s already", name)
		}
	}

	return nil
}

func updateVMFolder(c *call, in *wire.VMFolderUpdationParams) (any, error) {
	folders, err := match(c.world, &c.folders, wire.EntityVMFolder, in.Where)
	if err != nil {
		return nil, err
	}

	for _, f := range folders {
		if err := nonEmpty("body.data.name", &in.Data.Name); err != nil {
			return nil, err
		}

		if err := c.folderTaken(f.cluster, in.Data.Name, f); err != nil {
			return nil, err
		}
	}

	return mapped(folders, func(f *folder) wire.WithTask[*wire.VMFolder] {
		f.row.Name = in.Data.Name
		c.reshowFolder(f)

		return done(&f.row)
	}), nil
}

// reshowFolder brings the rows of a folder's VMs up to date.
func (w *world) reshowFolder(f *folder) {
	for _, v := range w.vms.list {
		if v.folder == f {
			w.show(v)
		}
	}
}

// deleteVMFolder leaves the VMs of a folder without one.
func deleteVMFolder(c *call, in *wire.VMFolderDeletionParams) (any, error) {
	folders, err := match(c.world, &c.folders, wire.EntityVMFolder, in.Where)
	if err != nil {
		return nil, err
	}

	return mapped(folders, func(f *folder) wire.WithTask[wire.Deleted] {
		c.folders.remove(f)

		for _, v := range c.vms.list {
			if v.folder == f {
				v.folder = nil
				c.show(v)
			}
		}

		return done(deleted(f))
	}), nil
}

func (c *call) moveToFolder(where json.RawMessage, into *folder) (any, error) {
	return c.eachVM(where, vmWork{
		mutation: "updateVm", about: named("Move VM to another group", "移动虚拟机到分组"),
		apply: func(v *vm) *taskFailure {
			if into != nil && into.cluster != v.cluster {
				return failure("VM_FOLDER_NOT_FOUND", "The VM group %s is in another cluster.", into.row.Name)
			}

			v.folder = into
			c.renew(v)

			return nil
		},
	})
}

// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// migrateVM moves VMs to another host of their cluster: the requested one, or
// one that the scheduler chooses.
func migrateVM(c *call, in *wire.VMMigrateParams) (any, error) {
	var wanted *host

	if in.Data != nil {
		h, err := c.hostByID(in.Data.HostID, nil)
		if err != nil {
			return nil, err
		}

		wanted = h
	}

	vms, err := matching(c.world, &c.vms, wire.EntityVM, in.Where)
	if err != nil {
		return nil, err
	}

	for _, v := range vms {
		if wanted != nil && wanted.cluster != v.cluster {
			return nil, badRequest("body.data.host_id: the host is not in the cluster of the VM %s", v.row.Name)
		}
	}

	return c.changeVMs(vms, vmChange{
		mutation: "migrateVm", description: aboutMigration,
		apply: func(v *vm) *taskFailure { return c.migrate(v, wanted) },
	})
}

func aboutMigration(v *vm) localizedText {
	if v.holdsMemory() {
		return localizedText{en: "Edit VM " + v.row.Name + ", performing a live migration", zh: "热迁移虚拟机 " + v.row.Name}
	}

	return localizedText{en: "Edit VM " + v.row.Name + ", performing a cold migration", zh: "冷迁移虚拟机 " + v.row.Name}
}

func (w *world) migrate(v *vm, wanted *host) *taskFailure {
	if len(v.gpus) > 0 && v.holdsMemory() {
		return failure("VM_GPU_LIVE_MIGRATION", "The VM %s has GPU devices and cannot be migrated while it runs.", v.row.Name)
	}

	if wanted == nil {
		wanted = w.pickOtherHost(v)
	}

	if wanted == nil {
		return scheduleFailure(filterState)
	}

	to, failed := w.pickHost(v, wanted)
	if failed != nil {
		return failed
	}

	v.host = to
	w.renewPartIDs(v)

	return nil
}

// pickOtherHost returns another host on which a VM can run, or its current host
// if there is none.
func (w *world) pickOtherHost(v *vm) *host {
	for _, h := range w.clusterHosts(v.cluster) {
		if h == v.host {
			continue
		}

		if to, failed := w.pickHost(v, h); failed == nil {
			return to
		}
	}

	return v.host
}

// migrateVMAcrossCluster moves VMs to another cluster. They keep their ids and
// get new local ids. Their NICs are connected to the networks that the mapping
// names.
func migrateVMAcrossCluster(c *call, in *wire.VMMigrateAcrossClusterParams) (any, error) {
	to, err := c.clusterByID(in.Data.ClusterID)
	if err != nil {
		return nil, err
	}

	wanted, err := c.hostByID(deref(in.Data.HostID), to)
	if err != nil {
		return nil, err
	}

	mapping := map[string]*vlan{}

	for _, pair := range in.Data.VMConfig.NetworkMapping {
		i := slices.IndexFunc(c.vlans.list, func(v *vlan) bool { return v.row.LocalID == pair.DestVlanLocalID && v.cluster() == to })
		if i < 0 {
			return nil, notFound("There is no VM network %s in the cluster %s", pair.DestVlanLocalID, to.row.ID)
		}

		if !slices.ContainsFunc(c.vlans.list, func(v *vlan) bool { return v.row.LocalID == pair.SrcVlanLocalID }) {
			return nil, notFound("There is no VM network %s", pair.SrcVlanLocalID)
		}

		mapping[pair.SrcVlanLocalID] = c.vlans.list[i]
	}

	vms, err := matching(c.world, &c.vms, wire.EntityVM, in.Where)
	if err != nil {
		return nil, err
	}

	for _, v := range vms {
		for _, n := range v.nics {
			if n.vlan != nil && mapping[n.vlan.row.LocalID] == nil {
				return nil, badRequest("body.data.vm_config.network_mapping: the network %s is not in the mapping", n.vlan.row.LocalID)
			}
		}
	}

	return c.changeVMs(vms, vmChange{
		mutation: migrationMutation, description: describeVM("Migrate VM across clusters", "跨集群迁移虚拟机"),
		apply: func(v *vm) *taskFailure { return c.migrateAcross(v, to, wanted, mapping, &in.Data.VMConfig) },
	})
}

const migrationMutation = "migrateVmAcrossCluster"

func (w *world) migrateAcross(v *vm, to *cluster, wanted *host, mapping map[string]*vlan, config *wire.MigrateVMConfig) *taskFailure {
	name := v.row.Name
	setIfSent(&name, config.NewName)

	keepDevices := config.RemoveUnmovableDevices == nil || !*config.RemoveUnmovableDevices
	if len(v.gpus)+len(v.hostNICs) > 0 && keepDevices {
		return failure("VM_UNMOVABLE_DEVICES", "The VM %s has devices of its host.", v.row.Name)
	}

	moved := *v
	moved.cluster, moved.host, moved.gpus, moved.hostNICs = to, nil, nil, nil

	if failed := w.checkVMName(&moved, name); failed != nil {
		return failed
	}

	if failed := w.checkMACsFree(v, to); failed != nil {
		return failed
	}

	var space int64

	for _, d := range v.disks {
		if d.volume != nil {
			space = addSaturating(space, mulSaturating(d.volume.row.Size, replicas(config.ElfStoragePolicy)))
		}
	}

	if failed := w.checkSpace(to, space); failed != nil {
		return failed
	}

	home := w.defaultHost(to, wanted)

	if v.holdsMemory() {
		placed, failed := w.pickHost(&moved, wanted)
		if failed != nil {
			return failed
		}

		home = placed
	}

	w.leaveGroups(v)

	v.cluster, v.host, v.folder, v.gpus, v.hostNICs = to, home, nil, nil, nil
	v.row.Name, v.row.LocalID = name, w.ids.uuid()

	for _, d := range v.disks {
		if d.volume != nil {
			d.volume.cluster, d.volume.linked = to, false
			d.volume.row.Cluster, d.volume.row.ElfStoragePolicy = to.nested(), config.ElfStoragePolicy
		}
	}

	for _, n := range v.nics {
		if n.vlan != nil {
			target := mapping[n.vlan.row.LocalID].row.ID
			w.editNIC(n, &nicEdit{vlanID: &target})
		}
	}

	w.renewPartIDs(v)

	return nil
}

// abortMigrateVMAcrossCluster makes migrations fail that are not finished yet.
func abortMigrateVMAcrossCluster(c *call, in *wire.AbortMigrateVMAcrossClusterParams) (any, error) {
	tasks, err := matching(c.world, &c.tasks, wire.EntityTask, in.Tasks)
	if err != nil {
		return nil, err
	}

	for _, t := range tasks {
		if deref(t.row.ResourceMutation) != migrationMutation {
			return nil, badRequest("body.tasks: the task %s is not a migration across clusters", t.row.ID)
		}
	}

	return mapSlice(tasks, func(t *task) *wire.Task {
		if t.row.FinishedAt == nil {
			t.abortion = failure("VM_MIGRATION_ABORTED", "The migration was aborted.")
		}

		shown := t.row

		return &shown
	}), nil
}

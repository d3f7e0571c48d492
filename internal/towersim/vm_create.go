// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"slices"
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

const placeholderPrefix = "placeholder-"

func isPlaceholder(localID string) bool { return strings.HasPrefix(localID, placeholderPrefix) }

// blueprint is a VM that is to be created.
type blueprint struct {
	hardware

	mutation        string
	taskDescription localizedText
	name            string
	description     string
	cluster         *cluster
	folder          *folder
	host            *host // nil if the scheduler chooses
	owner           *user
	running         bool
	isCopy          bool // from a VM, a snapshot or a template
	cloudInitData   *wire.TemplateCloudInit
	groups          []*group
	gpus            []gpuClaim
	hostNICs        []*hostNIC
	// removeSource removes the source when the VM is created, for a template
	// that is converted.
	removeSource func()
	// outsideTower is true if the cluster creates the VM by itself. Its name
	// need not be unique.
	outsideTower bool
}

// addPlaceholder adds the record of a VM that is to be created: a placeholder.
func (w *world) addPlaceholder(b *blueprint, ids *idSource) *vm {
	w.vmOrder++

	v := &vm{cluster: b.cluster, folder: b.folder, owner: b.owner, createdAt: w.now, order: w.vmOrder}
	v.row = wire.VM{
		ID: ids.cuid(), LocalID: placeholderPrefix + ids.uuid(), Name: b.name, Description: b.description,
		ClockOffset: wire.VMClockOffsetUtc, CPUModel: "cluster_default", LocalCreatedAt: formatTimePtr(w.now),
		CPU: wire.NestedCPU{Cores: b.cores, Sockets: b.sockets}, VCPU: b.vcpu(), Memory: b.memory,
		Firmware: b.firmware, HA: b.ha, GuestOSType: b.guestOS, VideoType: b.videoType,
		CloudInitSupported: wire.Ptr(b.cloudInit), Status: wire.VMStatusStopped,
		IOPolicy: b.ioPolicy, MaxIOPS: b.limits.iops, MaxIOPSPolicy: b.limits.iopsPolicy,
		MaxBandwidth: b.limits.bandwidth, MaxBandwidthPolicy: b.limits.bandwidthPolicy,
		GPUDevices: []wire.NestedGPUDevice{}, Snapshots: []wire.NestedVMSnapshot{}, USBDevices: []wire.NestedUSBDevice{},
		PCINics: []wire.NestedNic{}, VMPlacementGroup: []wire.NestedVMPlacementGroup{},
	}

	w.clearGuestInfo(v)
	w.refreshVM(v)
	w.vms.add(v)

	return v
}

// startCreate accepts the creation of a VM. Its record exists at once, as a
// placeholder; a task creates the rest.
func (c *call) startCreate(b *blueprint) wire.WithTask[*wire.VM] {
	v := c.addPlaceholder(b, c.ids)
	reply := wire.WithTask[*wire.VM]{}
	t := c.startTask(taskWork{
		mutation: b.mutation, description: b.taskDescription, resource: "Vm", id: v.row.ID, cluster: b.cluster,
		status: wire.EntityAsyncStatusCreating, objects: []asyncObject{&replyCapture{vm: v, reply: &reply.Data}},
		apply:       func() *taskFailure { return c.buildVM(v, b) },
		undo:        func() { c.vms.remove(v) },
		leaveBehind: func(e *TaskError) { c.leaveLeftovers(b, e) },
	})
	reply.TaskID = wire.Ptr(t.row.ID)

	return reply
}

// replyCapture keeps the VM's row as it is when the task starts, for the reply
// to a creation. The task may be finished before the reply is sent.
type replyCapture struct {
	*vm

	reply **wire.VM
}

func (r *replyCapture) setAsyncStatus(status *wire.EntityAsyncStatus) {
	r.vm.setAsyncStatus(status)

	if *r.reply == nil {
		shown := r.row
		*r.reply = &shown
	}
}

// buildVM creates a VM from its placeholder, or returns why that is impossible.
func (w *world) buildVM(v *vm, b *blueprint) *taskFailure {
	if v.deleted() {
		return failure("VM_NOT_FOUND", "The VM %s is gone.", v.row.Name)
	}

	if failed := w.checkVMName(v, v.row.Name); failed != nil && !b.outsideTower {
		return failed
	}

	networks, failed := b.cloudInitNetworks()
	if failed != nil {
		return failed
	}

	if failed := w.checkNewDisks(v, b.disks); failed != nil {
		return failed
	}

	nics, failed := w.prepareNICs(w.nicsFor(b), b.cluster, nil)
	if failed != nil {
		return failed
	}

	if failed := w.settleHost(v, b); failed != nil {
		return failed
	}

	v.row.LocalID = w.ids.uuid()
	v.row.BiosUUID = wire.Ptr(w.ids.uuid())

	for i := range nics {
		n := w.addNIC(v, &nics[i])

		// If cloud-init configures any network, it does not configure the
		// others.
		if networks != nil {
			configured, listed := networks[i]
			n.static, n.unconfigured = configured, !listed
		}
	}

	slices.SortStableFunc(b.disks, func(a, b diskConfig) int { return a.boot - b.boot })

	for i := range b.disks {
		w.attach(v, &b.disks[i])
	}

	if b.cloudInitData != nil {
		w.attachCloudInit(v, b.cloudInitData)
	}

	w.refreshVM(v)

	if b.running {
		w.powerOn(v)
	}

	if b.removeSource != nil {
		b.removeSource()
	}

	return nil
}

// nicsFor returns the NICs of a new VM, connected to networks of its cluster.
func (w *world) nicsFor(b *blueprint) []nicConfig {
	nics := slices.Clone(b.nics)

	for i := range nics {
		if b.outsideTower && w.checkMACFree(nics[i].mac, b.cluster, nil) != nil {
			nics[i].mac = ""
		}

		// The network of a template may have been deleted.
		if network := nics[i].vlan; network != nil {
			if _, exists := w.vlans.objectOf(&network.row); !exists {
				nics[i].vlan = w.networkFor(b.cluster, network.row.Name)
			}
		}

		// A VPC belongs to one cluster.
		if place := nics[i].vpc; place != nil && place.subnet.vpc.cluster != b.cluster {
			nics[i].vlan, nics[i].vpc = w.networkFor(b.cluster, ""), nil
		}
	}

	return nics
}

// settleHost gives a VM its placement groups, its devices and its host, or none
// of them.
func (w *world) settleHost(v *vm, b *blueprint) *taskFailure {
	w.joinGroups(v, b.groups)
	v.gpus, v.hostNICs = b.gpus, b.hostNICs

	failed := w.checkGPUs(v, b.host)
	if failed == nil {
		failed = w.checkHostNICs(v, b.host)
	}

	if failed == nil && b.running {
		v.host, failed = w.pickHost(v, b.host)
	} else {
		v.host = w.defaultHost(b.cluster, b.host)
	}

	if failed != nil {
		w.leaveGroups(v)
		v.gpus, v.hostNICs = nil, nil
	}

	return failed
}

// checkVMName refuses a name that another VM of the cluster has. If two VMs
// with the same name are being created, the one that was requested first gets
// it.
func (w *world) checkVMName(v *vm, name string) *taskFailure {
	if !w.scenario.UniqueVMNames {
		return nil
	}

	for _, other := range w.vms.list {
		if other == v || other.cluster != v.cluster || other.row.InRecycleBin || other.row.Name != name {
			continue
		}

		if other.existsInCluster() || other.order < v.order {
			return failure("VM_DUPLICATED_NAME", "The VM name %s is used by another VM.", name)
		}
	}

	return nil
}

// checkSpace refuses more space than a cluster's storage has left.
func (w *world) checkSpace(c *cluster, space int64) *taskFailure {
	if space > 0 && space > c.capacity-w.storageInUse(c) {
		return failure("EAllocSpace", "Failed to allocate space in the storage pool.")
	}

	return nil
}

// addNIC adds a NIC to a VM. [world.prepareNICs] has completed the NIC.
func (w *world) addNIC(v *vm, s *nicConfig) *nic {
	n := &nic{vm: v, vlan: s.vlan, mac: s.mac, requested: s.requested}
	id := w.ids.uuid()
	n.row = wire.VMNic{
		ID: w.ids.cuid(), LocalID: id, InterfaceID: wire.Ptr(id), MACAddress: wire.Ptr(n.mac), Enabled: wire.Ptr(s.enabled),
		Mirror: wire.Ptr(s.mirror), Model: wire.Ptr(s.model), Type: wire.Ptr(wire.VMNicTypeVlan), VM: v.nested(),
		EgressRateLimitEnabled: wire.Ptr(false), IngressRateLimitEnabled: wire.Ptr(false),
	}

	if s.vlan != nil {
		n.row.Vlan = wire.Ptr(s.vlan.nested())
	}

	if s.vpc != nil {
		w.joinVPC(n, s.vpc)
	}

	if n.port = s.port; n.port != nil {
		n.row.Nic = wire.Ptr(s.port.nested())
	}

	n.setQoS(s.qos)
	n.showRequested()
	w.insertNIC(n)

	return n
}

// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// group is a VM placement group: rules for the hosts on which its members run.
type group struct {
	row          wire.VMPlacementGroup
	cluster      *cluster
	vms          []*vm
	must, prefer []*host
}

func (g *group) id() string                                    { return g.row.ID }
func (g *group) rowPtr() any                                   { return &g.row }
func (g *group) setAsyncStatus(status *wire.EntityAsyncStatus) { g.row.EntityAsyncStatus = status }

func (w *world) groupRelations() map[string]func(*group) []any {
	return map[string]func(*group) []any{
		"cluster":                   func(g *group) []any { return toOne(g.cluster) },
		"vms":                       func(g *group) []any { return rowPtrs(g.vms) },
		"vm_host_must_host_uuids":   func(g *group) []any { return rowPtrs(g.must) },
		"vm_host_prefer_host_uuids": func(g *group) []any { return rowPtrs(g.prefer) },
	}
}

// refresh updates the lists in the group's row.
func (g *group) refresh() {
	g.row.VMs = mapSlice(g.vms, (*vm).nested)
	g.row.VMHostMustHostUUIDs = mapSlice(g.must, (*host).nested)
	g.row.VMHostPreferHostUUIDs = mapSlice(g.prefer, (*host).nested)
}

func (w *world) groupsOf(v *vm) []*group {
	return filterSlice(w.groups.list, func(g *group) bool { return slices.Contains(g.vms, v) })
}

// joinGroups makes a VM a member of groups.
func (w *world) joinGroups(v *vm, groups []*group) {
	for _, g := range groups {
		if !slices.Contains(g.vms, v) {
			g.vms = append(g.vms, v)
			g.refresh()
			w.journal.touch(g)
		}
	}
}

// leaveGroups removes a VM from all its groups.
func (w *world) leaveGroups(v *vm) {
	for _, g := range w.groupsOf(v) {
		g.vms = slices.DeleteFunc(g.vms, func(member *vm) bool { return member == v })
		g.refresh()
		w.journal.touch(g)
	}
}

// runningMembers reports whether another member than v is running on a host,
// and whether one is running on any host.
func (g *group) runningMembers(v *vm, h *host) (here, anywhere bool) {
	for _, member := range g.vms {
		if member != v && member.holdsMemory() && !member.row.InRecycleBin {
			anywhere = true
			here = here || member.host == h
		}
	}

	return here, anywhere
}

// allows reports whether the mandatory rules let a VM run on a host.
func (g *group) allows(v *vm, h *host) bool {
	if !g.row.Enabled {
		return true
	}

	if g.row.VMHostMustEnabled && slices.Contains(g.must, h) != g.row.VMHostMustPolicy {
		return false
	}

	here, anywhere := g.runningMembers(v, h)

	switch {
	case !g.row.VMVMPolicyEnabled:
		return true
	case g.row.VMVMPolicy == wire.VMVMPolicyMustDifferent:
		return !here
	case g.row.VMVMPolicy == wire.VMVMPolicyMustSame:
		return here || !anywhere
	default:
		return true
	}
}

// preference returns how many of the optional rules are met if a VM runs on a
// host.
func (g *group) preference(v *vm, h *host) int {
	if !g.row.Enabled {
		return 0
	}

	score := 0
	if g.row.VMHostPreferEnabled && slices.Contains(g.prefer, h) == g.row.VMHostPreferPolicy {
		score++
	}

	here, anywhere := g.runningMembers(v, h)

	switch {
	case !g.row.VMVMPolicyEnabled:
	case g.row.VMVMPolicy == wire.VMVMPolicyPreferDifferent && !here,
		g.row.VMVMPolicy == wire.VMVMPolicyPreferSame && (here || !anywhere):
		score++
	}

	return score
}

func createVMPlacementGroup(c *call, in *[]wire.VMPlacementGroupCreationParams) (any, error) {
	groups, err := planEach(*in, func(_ int, p *wire.VMPlacementGroupCreationParams) (*group, error) {
		return c.planGroup(p)
	})
	if err != nil {
		return nil, err
	}

	replies := make([]wire.WithTask[*wire.VMPlacementGroup], len(groups))
	for i, g := range groups {
		replies[i] = c.startGroup(g)
	}

	return replies, nil
}

func (c *call) planGroup(p *wire.VMPlacementGroupCreationParams) (*group, error) {
	in, err := c.clusterByID(p.ClusterID)
	if err != nil {
		return nil, err
	}

	if err := checkNotEmpty("name", &p.Name); err != nil {
		return nil, err
	}

	g := &group{cluster: in}
	g.row = wire.VMPlacementGroup{
		ID: c.ids.cuid(), LocalID: placeholderPrefix + c.ids.uuid(), Name: p.Name, Cluster: in.nested(), Enabled: p.Enabled,
		VMVMPolicy: wire.VMVMPolicyPreferDifferent, LocalCreatedAt: formatTime(c.now), LocalUpdatedAt: formatTime(c.now),
	}

	edit := &wire.VMPlacementGroupUpdationParamsData{}
	if err := copyByJSON(edit, p); err != nil {
		return nil, err
	}

	change, err := c.groupChange(edit, in)
	if err != nil {
		return nil, err
	}

	change(g)

	return g, nil
}

func (c *call) startGroup(g *group) wire.WithTask[*wire.VMPlacementGroup] {
	c.groups.add(g)

	members := g.vms
	for _, v := range members {
		c.refreshVM(v)
	}

	t := c.startTask(taskWork{
		mutation: "createVmPlacementGroup", resource: "VmPlacementGroup", id: g.row.ID, cluster: g.cluster,
		description: localizedText{en: "Create VM placement group " + g.row.Name, zh: "创建虚拟机放置组 " + g.row.Name},
		status:      wire.EntityAsyncStatusCreating, objects: []asyncObject{g},
		apply: func() *taskFailure {
			if failed := c.checkGroupName(g, g.row.Name, true); failed != nil {
				return failed
			}

			g.row.LocalID = c.ids.uuid()

			return nil
		},
		undo: func() { c.dropGroup(g) },
	})
	shown := g.row

	return wire.WithTask[*wire.VMPlacementGroup]{TaskID: wire.Ptr(t.row.ID), Data: &shown}
}

func (w *world) checkGroupName(g *group, name string, creating bool) *taskFailure {
	clashes := func(other *group) bool { return other.cluster == g.cluster && other.row.Name == name }

	return checkName(w.groups.list, g, creating, clashes,
		failure("PLACEMENT_GROUP_DUPLICATE_NAME", "The name %s is used by another VM placement group.", name))
}

// groupChange returns the function that applies a request to a group of a
// cluster. The request's lists of members and hosts replace the existing ones.
func (c *call) groupChange(d *wire.VMPlacementGroupUpdationParamsData, in *cluster) (func(*group), error) {
	var (
		vms          []*vm
		must, prefer []*host
		err          error
	)

	if d.VMs != nil {
		if vms, err = matching(c.world, &c.vms, wire.EntityVM, d.VMs); err != nil {
			return nil, err
		}
	}

	if d.MustHosts != nil {
		if must, err = matching(c.world, &c.hosts, wire.EntityHost, d.MustHosts); err != nil {
			return nil, err
		}
	}

	if d.PreferHosts != nil {
		if prefer, err = matching(c.world, &c.hosts, wire.EntityHost, d.PreferHosts); err != nil {
			return nil, err
		}
	}

	vms = slices.DeleteFunc(vms, func(v *vm) bool { return v.cluster != in })

	return func(g *group) {
		setIfSent(&g.row.Name, d.Name)
		setIfSent(&g.row.Description, d.Description)
		setIfSent(&g.row.Enabled, d.Enabled)
		setIfSent(&g.row.VMHostMustEnabled, d.VMHostMustEnabled)
		setIfSent(&g.row.VMHostMustPolicy, d.VMHostMustPolicy)
		setIfSent(&g.row.VMHostPreferEnabled, d.VMHostPreferEnabled)
		setIfSent(&g.row.VMHostPreferPolicy, d.VMHostPreferPolicy)
		setIfSent(&g.row.VMVMPolicy, d.VMVMPolicy)
		setIfSent(&g.row.VMVMPolicyEnabled, d.VMVMPolicyEnabled)

		if d.VMs != nil {
			g.vms = slices.DeleteFunc(slices.Clone(vms), (*vm).deleted)
		}

		if d.MustHosts != nil {
			g.must = must
		}

		if d.PreferHosts != nil {
			g.prefer = prefer
		}

		g.refresh()
	}, nil
}

func updateVMPlacementGroup(c *call, in *wire.VMPlacementGroupUpdationParams) (any, error) {
	groups, err := matching(c.world, &c.groups, wire.EntityVMPlacementGroup, in.Where)
	if err != nil {
		return nil, err
	}

	edits := map[*group]func(*group){}

	for _, g := range groups {
		if edits[g], err = c.groupChange(&in.Data, g.cluster); err != nil {
			return nil, err
		}
	}

	return startChanges(c, groups, change[*group]{
		mutation: "updateVmPlacementGroup", resource: "VmPlacementGroup",
		description: describe("Update VM placement group", "编辑虚拟机放置组", func(g *group) string { return g.row.Name }),
		cluster:     func(g *group) *cluster { return g.cluster },
		apply:       func(g *group) *taskFailure { return c.editGroup(g, &in.Data, edits[g]) },
	}, func(g *group) *wire.VMPlacementGroup { return wire.Ptr(g.row) }), nil
}

func (w *world) editGroup(g *group, d *wire.VMPlacementGroupUpdationParamsData, edit func(*group)) *taskFailure {
	if _, exists := w.groups.get(g.row.ID); !exists {
		return failure("PLACEMENT_GROUP_NOT_FOUND", "The VM placement group %s is gone.", g.row.Name)
	}

	if d.Name != nil && *d.Name != g.row.Name {
		if failed := w.checkGroupName(g, *d.Name, false); failed != nil {
			return failed
		}
	}

	enabled := g.row.VMVMPolicyEnabled
	setIfSent(&enabled, d.VMVMPolicyEnabled)

	if d.VMs != nil && !enabled && !w.version.atLeast(4, 1) {
		return failure("PLACEMENT_GROUP_POLICY_DISABLED", "The members of %s cannot change while its policy is off.", g.row.Name)
	}

	before := g.vms
	edit(g)
	g.row.LocalUpdatedAt = formatTime(w.now)

	for _, v := range append(slices.Clone(before), g.vms...) {
		w.refreshVM(v)
	}

	return nil
}

// deleteVMPlacementGroup marks the groups when the task starts to run, not when
// it is accepted. So a second request right after the first one starts a second
// task, as in Tower.
func deleteVMPlacementGroup(c *call, in *wire.VMPlacementGroupDeletionParams) (any, error) {
	return deleteMatching(c, &c.groups, wire.EntityVMPlacementGroup, in.Where, change[*group]{
		mutation: "deleteVmPlacementGroup", resource: "VmPlacementGroup", markLate: true,
		description: describe("Delete VM placement group", "删除虚拟机放置组", func(g *group) string { return g.row.Name }),
		cluster:     func(g *group) *cluster { return g.cluster },
		apply: func(g *group) *taskFailure {
			if _, exists := c.groups.get(g.row.ID); !exists {
				return failure("PLACEMENT_GROUP_NOT_FOUND", "The VM placement group %s is gone.", g.row.Name)
			}

			c.dropGroup(g)

			return nil
		},
	})
}

func (w *world) dropGroup(g *group) {
	w.groups.remove(g)

	for _, v := range g.vms {
		w.refreshVM(v)
	}
}

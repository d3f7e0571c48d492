// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// iscsiTarget is a target of a cluster's block storage.
type iscsiTarget struct {
	row     wire.IscsiTarget
	cluster *cluster
	labelSet
}

// iscsiLun is a LUN of a target.
type iscsiLun struct {
	row    wire.IscsiLun
	target *iscsiTarget
	made   bool // false until its task has ended: it takes no space yet
	labelSet
}

// space returns the space that the LUN takes of its cluster's storage. Thin or
// thick, it takes its assigned size once for each copy, as volumes do.
func (l *iscsiLun) space() int64 { return lunSpace(l.row.AssignedSize, l.row.ReplicaNum) }

func lunSpace(size int64, copies int) int64 { return mulSaturating(size, int64(max(copies, 1))) }

// resize gives a LUN another size if the cluster has the space.
func (w *world) resize(l *iscsiLun, size int64) *taskFailure {
	if failed := w.checkSpace(l.target.cluster, lunSpace(size, l.row.ReplicaNum)-l.space()); failed != nil {
		return failed
	}

	l.row.AssignedSize = size

	return nil
}

// iscsiSnapshot is a snapshot of a LUN. It can outlive the LUN.
type iscsiSnapshot struct {
	row    wire.IscsiLunSnapshot
	target *iscsiTarget
	lun    *iscsiLun
	size   int64
	labelSet
}

func (t *iscsiTarget) refreshLabels()   { t.row.Labels = t.nestedLabels() }
func (l *iscsiLun) refreshLabels()      { l.row.Labels = l.nestedLabels() }
func (s *iscsiSnapshot) refreshLabels() { s.row.Labels = s.nestedLabels() }
func (t *iscsiTarget) id() string       { return t.row.ID }
func (t *iscsiTarget) rowPtr() any      { return &t.row }
func (t *iscsiTarget) setAsyncStatus(status *wire.EntityAsyncStatus) {
	t.row.EntityAsyncStatus = status
}
func (l *iscsiLun) id() string                                    { return l.row.ID }
func (l *iscsiLun) rowPtr() any                                   { return &l.row }
func (l *iscsiLun) setAsyncStatus(status *wire.EntityAsyncStatus) { l.row.EntityAsyncStatus = status }
func (s *iscsiSnapshot) id() string                               { return s.row.ID }
func (s *iscsiSnapshot) rowPtr() any                              { return &s.row }
func (s *iscsiSnapshot) setAsyncStatus(status *wire.EntityAsyncStatus) {
	s.row.EntityAsyncStatus = status
}

func (t *iscsiTarget) nested() wire.NestedIscsiTarget {
	return wire.NestedIscsiTarget{ID: t.row.ID, Name: t.row.Name}
}

func (w *world) iscsiEntities() map[string]*entity {
	return map[string]*entity{
		wire.EntityIscsiTarget: newEntity(&w.iscsiTargets, true, map[string]func(*iscsiTarget) []any{
			"cluster": func(t *iscsiTarget) []any { return toOne(t.cluster) },
			"labels":  func(t *iscsiTarget) []any { return rowPtrs(t.labels) },
			"luns": func(t *iscsiTarget) []any {
				return rowPtrs(filterSlice(w.iscsiLuns.list, func(l *iscsiLun) bool { return l.target == t }))
			},
		}),
		wire.EntityIscsiLun: newEntity(&w.iscsiLuns, true, map[string]func(*iscsiLun) []any{
			"iscsi_target": func(l *iscsiLun) []any { return toOne(l.target) },
			"labels":       func(l *iscsiLun) []any { return rowPtrs(l.labels) },
		}),
		wire.EntityIscsiLunSnapshot: newEntity(&w.iscsiSnapshots, false, map[string]func(*iscsiSnapshot) []any{
			"iscsi_target": func(s *iscsiSnapshot) []any { return toOne(s.target) },
			"iscsi_lun":    func(s *iscsiSnapshot) []any { return toOne(s.lun) },
			"labels":       func(s *iscsiSnapshot) []any { return rowPtrs(s.labels) },
		}),
		wire.EntityIscsiConnection: emptyEntity(),
	}
}

// emptyEntity is an entity without rows, because nothing that is simulated
// makes any: zones belong to stretched clusters, iSCSI connections to
// initiators, and entity filter results to filters in Tower's web interface.
func emptyEntity() *entity {
	return &entity{
		rows:    func() []any { return nil },
		byID:    func(string) (any, bool) { return nil, false },
		related: map[string]func(any) []any{},
	}
}

func (w *world) deriveIscsi() {
	for _, t := range w.iscsiTargets.list {
		t.row.Luns = []wire.NestedIscsiLun{}
	}

	for _, l := range w.iscsiLuns.list {
		l.target.row.Luns = append(l.target.row.Luns, wire.NestedIscsiLun{ID: l.row.ID, Name: l.row.Name})
		l.row.SnapshotNum = len(filterSlice(w.iscsiSnapshots.list, func(s *iscsiSnapshot) bool { return s.lun == l }))
	}
}

func createIscsiTarget(c *call, in *[]wire.IscsiTargetCreationParams) (any, error) {
	made, err := planEach(*in, func(_ int, p *wire.IscsiTargetCreationParams) (*iscsiTarget, error) {
		of, err := c.clusterByID(p.ClusterID)
		if err != nil {
			return nil, err
		}

		if err := checkNotEmpty("name", &p.Name); err != nil {
			return nil, err
		}

		t := &iscsiTarget{cluster: of}
		if err := copyByJSON(&t.row, p); err != nil {
			return nil, err
		}

		t.row.ID, t.row.LocalID, t.row.Cluster = c.ids.cuid(), c.ids.uuid(), of.nested()
		t.row.IqnName = "iqn.2016-02.com.smartx:system:" + p.Name
		t.row.Labels, t.row.Luns = []wire.NestedLabel{}, []wire.NestedIscsiLun{}

		return t, nil
	})
	if err != nil {
		return nil, err
	}

	for _, t := range made {
		c.iscsiTargets.add(t)
	}

	k := c.targetChange("createIscsiTarget", "Create iSCSI target", func(*iscsiTarget) *taskFailure { return nil })
	k.status, k.undo = wire.EntityAsyncStatusCreating, c.iscsiTargets.remove

	return startChanges(c, made, k, targetReply), nil
}

func (c *call) targetChange(mutation, en string, apply func(*iscsiTarget) *taskFailure) change[*iscsiTarget] {
	return change[*iscsiTarget]{
		mutation: mutation, resource: "IscsiTarget",
		description: describe(en, "iSCSI target", func(t *iscsiTarget) string { return t.row.Name }),
		cluster:     func(t *iscsiTarget) *cluster { return t.cluster },
		apply:       apply,
	}
}

func targetReply(t *iscsiTarget) *wire.IscsiTarget { return wire.Ptr(t.row) }

func updateIscsiTarget(c *call, in *wire.IscsiTargetUpdationParams) (any, error) {
	found, err := matching(c.world, &c.iscsiTargets, wire.EntityIscsiTarget, in.Where)
	if err != nil {
		return nil, err
	}

	return startChanges(c, found, c.targetChange("updateIscsiTarget", "Edit iSCSI target",
		func(t *iscsiTarget) *taskFailure { return copyByJSONInTask(&t.row, &in.Data) }), targetReply), nil
}

// copyByJSONInTask is copyByJSON with the error as a task's failure.
func copyByJSONInTask(into, from any) *taskFailure {
	if err := copyByJSON(into, from); err != nil {
		return failure("INVALID_PARAMETERS", "%s", refusalMessage(err))
	}

	return nil
}

// deleteIscsiTarget deletes a target. Its LUNs and snapshots stay until they
// are deleted themselves.
func deleteIscsiTarget(c *call, in *wire.IscsiTargetDeletionParams) (any, error) {
	return deleteMatching(c, &c.iscsiTargets, wire.EntityIscsiTarget, in.Where, c.targetChange("deleteIscsiTarget", "Delete iSCSI target",
		func(t *iscsiTarget) *taskFailure {
			c.iscsiTargets.remove(t)

			return nil
		}))
}

func (w *world) iscsiTargetByID(id string) (*iscsiTarget, error) {
	t, ok := w.iscsiTargets.get(id)
	if !ok {
		return nil, notFound("There is no iSCSI target %s", id)
	}

	return t, nil
}

func createIscsiLun(c *call, in *[]wire.IscsiLunCreationParams) (any, error) {
	made, err := planEach(*in, func(i int, p *wire.IscsiLunCreationParams) (*iscsiLun, error) {
		of, err := c.iscsiTargetByID(p.IscsiTargetID)
		if err != nil {
			return nil, err
		}

		if p.AssignedSize <= 0 {
			return nil, badRequest("body[%d].assigned_size: must be more than 0", i)
		}

		l := c.newLun(of, p.Name, bytesOf(p.AssignedSize, p.AssignedSizeUnit))
		if err := copyByJSON(&l.row, p); err != nil {
			return nil, err
		}

		l.row.AssignedSize = bytesOf(p.AssignedSize, p.AssignedSizeUnit)

		return l, nil
	})
	if err != nil {
		return nil, err
	}

	return c.addLuns(made, "createIscsiLun"), nil
}

func (w *world) newLun(of *iscsiTarget, name string, size int64) *iscsiLun {
	l := &iscsiLun{target: of}
	l.row = wire.IscsiLun{
		ID: w.ids.cuid(), LocalID: w.ids.uuid(), ZbsVolumeID: w.ids.uuid(), Name: name, IscsiTarget: of.nested(), AssignedSize: size,
		AllowedInitiators: "*/*", LocalCreatedAt: formatTime(w.now), ReplicaNum: of.row.ReplicaNum, StripeNum: of.row.StripeNum,
		StripeSize: of.row.StripeSize, ThinProvision: of.row.ThinProvision, LunID: 1, Labels: []wire.NestedLabel{},
	}

	for _, other := range w.iscsiLuns.list {
		if other.target == of {
			l.row.LunID = max(l.row.LunID, other.row.LunID+1)
		}
	}

	return l
}

func (c *call) addLuns(made []*iscsiLun, mutation string) []wire.WithTask[*wire.IscsiLun] {
	for _, l := range made {
		c.iscsiLuns.add(l)
	}

	k := c.lunChange(mutation, "Create iSCSI LUN", func(l *iscsiLun) *taskFailure {
		if failed := c.checkSpace(l.target.cluster, l.space()); failed != nil {
			return failed
		}

		l.made = true

		return nil
	})
	k.status, k.undo = wire.EntityAsyncStatusCreating, c.iscsiLuns.remove

	return startChanges(c, made, k, lunReply)
}

func (c *call) lunChange(mutation, en string, apply func(*iscsiLun) *taskFailure) change[*iscsiLun] {
	return change[*iscsiLun]{
		mutation: mutation, resource: "IscsiLun",
		description: describe(en, "iSCSI LUN", func(l *iscsiLun) string { return l.row.Name }),
		cluster:     func(l *iscsiLun) *cluster { return l.target.cluster },
		apply:       apply,
	}
}

func lunReply(l *iscsiLun) *wire.IscsiLun { return wire.Ptr(l.row) }

func updateIscsiLun(c *call, in *wire.IscsiLunUpdationParams) (any, error) {
	found, err := matching(c.world, &c.iscsiLuns, wire.EntityIscsiLun, in.Where)
	if err != nil {
		return nil, err
	}

	if in.Data.AssignedSize != nil {
		if *in.Data.AssignedSize <= 0 {
			return nil, badRequest("body.data.assigned_size: must be more than 0")
		}

		in.Data.AssignedSize = wire.Ptr(bytesOf(*in.Data.AssignedSize, in.Data.AssignedSizeUnit))
	}

	return startChanges(c, found, c.lunChange("updateIscsiLun", "Edit iSCSI LUN",
		func(l *iscsiLun) *taskFailure {
			if in.Data.AssignedSize != nil {
				if failed := c.resize(l, *in.Data.AssignedSize); failed != nil {
					return failed
				}
			}

			return copyByJSONInTask(&l.row, &in.Data)
		}), lunReply), nil
}

func deleteIscsiLun(c *call, in *wire.IscsiLunDeletionParams) (any, error) {
	return deleteMatching(c, &c.iscsiLuns, wire.EntityIscsiLun, in.Where, c.lunChange("deleteIscsiLun", "Delete iSCSI LUN",
		func(l *iscsiLun) *taskFailure {
			c.iscsiLuns.remove(l)

			for _, s := range filterSlice(c.iscsiSnapshots.list, func(s *iscsiSnapshot) bool { return s.lun == l }) {
				s.lun, s.row.IscsiLun = nil, nil

				if in.Data != nil && in.Data.RemoveSnapshot {
					c.iscsiSnapshots.remove(s)
				}
			}

			return nil
		}))
}

// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func createIscsiLunSnapshot(c *call, in *[]wire.IscsiLunSnapshotCreationParams) (any, error) {
	made, err := planEach(*in, func(_ int, p *wire.IscsiLunSnapshotCreationParams) (*iscsiSnapshot, error) {
		l, ok := c.iscsiLuns.get(p.IscsiLunID)
		if !ok {
			return nil, notFound("There is no iSCSI LUN %s", p.IscsiLunID)
		}

		t, err := c.iscsiTargetByID(p.IscsiTargetID)
		if err != nil {
			return nil, err
		}

		if err := checkNotEmpty("name", &p.Name); err != nil {
			return nil, err
		}

		s := &iscsiSnapshot{target: t, lun: l, size: l.row.AssignedSize}
		s.row = wire.IscsiLunSnapshot{
			ID: c.ids.cuid(), LocalID: c.ids.uuid(), Name: p.Name, IscsiTarget: t.nested(), LocalCreatedAt: formatTime(c.now),
			IscsiLun: &wire.NestedIscsiLun{ID: l.row.ID, Name: l.row.Name}, Labels: []wire.NestedLabel{},
		}

		return s, nil
	})
	if err != nil {
		return nil, err
	}

	for _, s := range made {
		c.iscsiSnapshots.add(s)
	}

	k := c.lunSnapshotChange("createIscsiLunSnapshot", "Create iSCSI LUN snapshot", func(*iscsiSnapshot) *taskFailure { return nil })
	k.status, k.undo = wire.EntityAsyncStatusCreating, c.iscsiSnapshots.remove

	return startChanges(c, made, k, func(s *iscsiSnapshot) *wire.IscsiLunSnapshot { return wire.Ptr(s.row) }), nil
}

func (c *call) lunSnapshotChange(mutation, en string, apply func(*iscsiSnapshot) *taskFailure) change[*iscsiSnapshot] {
	return change[*iscsiSnapshot]{
		mutation: mutation, resource: "IscsiLunSnapshot",
		description: describe(en, "iSCSI LUN snapshot", func(s *iscsiSnapshot) string { return s.row.Name }),
		cluster:     func(s *iscsiSnapshot) *cluster { return s.target.cluster },
		apply:       apply,
	}
}

func deleteIscsiLunSnapshot(c *call, in *wire.IscsiLunSnapshotDeletionParams) (any, error) {
	return deleteMatching(c, &c.iscsiSnapshots, wire.EntityIscsiLunSnapshot, in.Where, c.lunSnapshotChange("deleteIscsiLunSnapshot", "Delete iSCSI LUN snapshot",
		func(s *iscsiSnapshot) *taskFailure {
			c.iscsiSnapshots.remove(s)

			return nil
		}))
}

func (w *world) lunSnapshotByID(id string) (*iscsiSnapshot, error) {
	s, ok := w.iscsiSnapshots.get(id)
	if !ok {
		return nil, notFound("There is no iSCSI LUN snapshot %s", id)
	}

	return s, nil
}

func cloneIscsiLunFromSnapshot(c *call, in *[]wire.IscsiLunCloneParams) (any, error) {
	made, err := planEach(*in, func(_ int, p *wire.IscsiLunCloneParams) (*iscsiLun, error) {
		s, err := c.lunSnapshotByID(p.SnapshotID)
		if err != nil {
			return nil, err
		}

		t, err := c.iscsiTargetByID(p.IscsiTargetID)
		if err != nil {
			return nil, err
		}

		name := s.row.Name + "-clone"
		setIfSent(&name, p.Name)

		return c.newLun(t, name, s.size), nil
	})
	if err != nil {
		return nil, err
	}

	return c.addLuns(made, "cloneIscsiLunFromSnapshot"), nil
}

func rollbackIscsiLunFromSnapshot(c *call, in *[]wire.IscsiLunRollbackParams) (any, error) {
	if err := checkNotEmptyList(*in); err != nil {
		return nil, err
	}

	luns, sizes := make([]*iscsiLun, len(*in)), map[*iscsiLun]int64{}

	for i, p := range *in {
		l, ok := c.iscsiLuns.get(p.LunID)
		if !ok {
			return nil, notFound("There is no iSCSI LUN %s", p.LunID)
		}

		s, err := c.lunSnapshotByID(p.SnapshotID)
		if err != nil {
			return nil, err
		}

		if s.lun != l {
			return nil, badRequest("body[%d].snapshot_id: the snapshot does not belong to the LUN %s", i, l.row.Name)
		}

		luns[i], sizes[l] = l, s.size
	}

	return startChanges(c, luns, c.lunChange("rollbackIscsiLunFromSnapshot", "Roll back iSCSI LUN",
		func(l *iscsiLun) *taskFailure { return c.resize(l, sizes[l]) }), lunReply), nil
}

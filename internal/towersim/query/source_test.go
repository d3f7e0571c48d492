// SPDX-License-Identifier: MPL-2.0

package query

import (
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// inventory is a small source. Its relations follow the nested objects of the
// rows.
type inventory struct {
	vms      []*wire.VM
	nics     []*wire.VMNic
	hosts    []*wire.Host
	clusters []*wire.Cluster
	labels   []*wire.Label
	version  string
}

func (s *inventory) TowerVersion() string { return s.version }

func toAny[T any](rows []*T) []any {
	out := make([]any, len(rows))
	for i, row := range rows {
		out[i] = row
	}
	return out
}

func (s *inventory) Rows(entity string) []any {
	switch entity {
	case wire.EntityVM:
		return toAny(s.vms)
	case wire.EntityVMNic:
		return toAny(s.nics)
	case wire.EntityHost:
		return toAny(s.hosts)
	case wire.EntityCluster:
		return toAny(s.clusters)
	case wire.EntityLabel:
		return toAny(s.labels)
	default:
		return nil
	}
}

// where returns the rows that test accepts.
func where[T any](rows []*T, test func(*T) bool) []any {
	var out []any
	for _, row := range rows {
		if test(row) {
			out = append(out, row)
		}
	}
	return out
}

func (s *inventory) Related(_ string, row any, field string) []any {
	switch row := row.(type) {
	case *wire.VM:
		switch field {
		case "host":
			return where(s.hosts, func(h *wire.Host) bool { return row.Host != nil && row.Host.ID == h.ID })
		case "cluster":
			return where(s.clusters, func(c *wire.Cluster) bool { return row.Cluster != nil && row.Cluster.ID == c.ID })
		case "vm_nics":
			return where(s.nics, func(n *wire.VMNic) bool { return n.VM.ID == row.ID })
		case "labels":
			return where(s.labels, func(l *wire.Label) bool {
				for _, nested := range row.Labels {
					if nested.ID == l.ID {
						return true
					}
				}
				return false
			})
		}
	case *wire.VMNic:
		if field == "vm" {
			return where(s.vms, func(vm *wire.VM) bool { return vm.ID == row.VM.ID })
		}
	case *wire.Host:
		switch field {
		case "vms":
			return where(s.vms, func(vm *wire.VM) bool { return vm.Host != nil && vm.Host.ID == row.ID })
		case "cluster":
			return where(s.clusters, func(c *wire.Cluster) bool { return row.Cluster.ID == c.ID })
		}
	case *wire.Cluster:
		if field == "hosts" {
			return where(s.hosts, func(h *wire.Host) bool { return h.Cluster.ID == row.ID })
		}
	}
	return nil
}

// indexed adds all optional indexes and counts scans.
type indexed struct {
	*inventory
	scans int
}

func (s *indexed) Rows(entity string) []any {
	s.scans++
	return s.inventory.Rows(entity)
}

func (s *indexed) ByID(entity, id string) (any, bool) {
	for _, row := range s.inventory.Rows(entity) {
		if (&reader{field: idField}).read(row).s == id {
			return row, true
		}
	}
	return nil, false
}

func (s *indexed) Referring(entity, field string, target any) ([]any, bool) {
	var out []any
	for _, row := range s.inventory.Rows(entity) {
		for _, related := range s.Related(entity, row, field) {
			if related == target {
				out = append(out, row)
			}
		}
	}
	return out, true
}

// sample is the inventory of the table tests. Its rows are intentionally not in
// the order of their ids.
func sample() *inventory {
	cluster := &wire.Cluster{ID: "c1", LocalID: wire.Ptr("lc1"), Name: "cluster-1"}
	host := func(id, name string) *wire.Host {
		return &wire.Host{ID: id, LocalID: "l" + id, Name: name, Cluster: wire.NestedCluster{ID: "c1"}, TotalMemoryBytes: 1 << 40}
	}
	s := &inventory{
		clusters: []*wire.Cluster{cluster, {ID: "c2", LocalID: wire.Ptr("lc2"), Name: "cluster-2"}},
		hosts:    []*wire.Host{host("h2", "host-b"), host("h1", "host-a"), host("h3", "host-c")},
		labels:   []*wire.Label{{ID: "l1", Key: "env", Value: wire.Ptr("prod")}, {ID: "l2", Key: "env"}},
	}
	s.vms = []*wire.VM{
		{
			ID: "v3", LocalID: "u3", Name: "web-1", Description: "front", VCPU: 4, Memory: 4 << 30, HA: true,
			Status: wire.VMStatusRunning, CPUUsage: wire.Ptr(0.5), LocalCreatedAt: wire.Ptr("2024-01-02T00:00:00.000Z"),
			Host: &wire.NestedHost{ID: "h1"}, Cluster: &wire.NestedCluster{ID: "c1"}, Hostname: wire.Ptr("web-1.local"),
			Labels: []wire.NestedLabel{{ID: "l1"}, {ID: "l2"}},
		},
		{
			ID: "v1", LocalID: "u1", Name: "web-2", VCPU: 2, Memory: 2 << 30, Status: wire.VMStatusStopped,
			LocalCreatedAt: wire.Ptr("2024-01-01T12:00:00.000Z"), Cluster: &wire.NestedCluster{ID: "c1"},
			EntityAsyncStatus: wire.Ptr(wire.EntityAsyncStatusUpdating),
		},
		{
			ID: "v2", LocalID: "u2", Name: "db", VCPU: 8, Memory: 16 << 30, HA: true, Status: wire.VMStatusRunning,
			CPUUsage: wire.Ptr(0.25), Host: &wire.NestedHost{ID: "h2"}, Cluster: &wire.NestedCluster{ID: "c1"},
			Hostname: wire.Ptr("db.local"), Labels: []wire.NestedLabel{{ID: "l1"}},
		},
		{ID: "v4", LocalID: "u4", Name: "Web-3", VCPU: 4, Memory: 1 << 30, Status: wire.VMStatusUnknown, CPUUsage: wire.Ptr(0.5)},
	}
	s.nics = []*wire.VMNic{
		{ID: "n1", VM: wire.NestedVM{ID: "v3"}, Order: wire.Ptr(0), IPAddress: wire.Ptr("10.0.0.1")},
		{ID: "n2", VM: wire.NestedVM{ID: "v3"}, Order: wire.Ptr(1)},
		{ID: "n3", VM: wire.NestedVM{ID: "v2"}, Order: wire.Ptr(0), IPAddress: wire.Ptr("10.0.0.2")},
	}
	return s
}

func ids(rows []any) []string {
	r := reader{field: idField}
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = r.read(row).s
	}
	return out
}

func TestEveryRelationLeadsToAKnownEntity(t *testing.T) {
	t.Parallel()
	count := 0
	for _, table := range []map[string]string{fieldsAToG, fieldsHToU, fieldsVToZ} {
		for name := range table {
			count++
			info := entityByName(name)
			for _, f := range info.fields {
				switch {
				case len(f.kind.operators()) == 0:
					t.Errorf("%s.%s has kind %q", name, f.name, f.kind)
				case f.kind == kindOne || f.kind == kindMany:
					if entityByName(f.target) == nil {
						t.Errorf("%s.%s leads to %q", name, f.name, f.target)
					}
				case f.kind == kindEnum && enumValues[f.target] == "":
					t.Errorf("%s.%s has enum %q", name, f.name, f.target)
				}
			}
		}
	}
	if count != 88 {
		t.Errorf("%d entities", count)
	}
}

// TestRowTypesHaveTheFields checks that the scalars of the field table can be
// read from the types of the wire package.
func TestRowTypesHaveTheFields(t *testing.T) {
	t.Parallel()
	rows := map[string]any{
		wire.EntityVM: wire.VM{}, wire.EntityVMNic: wire.VMNic{}, wire.EntityVMDisk: wire.VMDisk{},
		wire.EntityVMVolume: wire.VMVolume{}, wire.EntityVMSnapshot: wire.VMSnapshot{}, wire.EntityHost: wire.Host{},
		wire.EntityVMTemplate: wire.VMTemplate{}, wire.EntityCluster: wire.Cluster{}, wire.EntityVlan: wire.Vlan{},
		wire.EntityVds: wire.Vds{}, wire.EntityTask: wire.Task{}, wire.EntityLabel: wire.Label{},
		wire.EntityContentLibraryVMTemplate: wire.ContentLibraryVMTemplate{}, wire.EntityUser: wire.User{},
		wire.EntityVMFolder: wire.VMFolder{}, wire.EntityVMPlacementGroup: wire.VMPlacementGroup{},
		wire.EntityDatacenter: wire.Datacenter{}, wire.EntityOrganization: wire.Organization{}, wire.EntityZone: wire.Zone{},
		wire.EntityElfImage: wire.ElfImage{}, wire.EntitySvtImage: wire.SvtImage{}, wire.EntityGPUDevice: wire.GPUDevice{},
		wire.EntityContentLibraryImage: wire.ContentLibraryImage{}, wire.EntityElfStoragePolicy: wire.ElfStoragePolicy{},
		wire.EntityClusterSettings: wire.ClusterSettings{}, wire.EntityGlobalSettings: wire.GlobalSettings{},
		wire.EntityIscsiTarget: wire.IscsiTarget{}, wire.EntityIscsiLun: wire.IscsiLun{},
		wire.EntityIscsiLunSnapshot: wire.IscsiLunSnapshot{}, wire.EntityIscsiConnection: wire.IscsiConnection{},
		wire.EntityVMEntityFilterResult: wire.VMEntityFilterResult{},
	}
	for i := range wire.Operations {
		op := &wire.Operations[i]
		if op.List && rows[op.Entity] == nil {
			t.Errorf("%s: rows of %s are not checked", op.Path, op.Entity)
		}
	}
	for entity, row := range rows {
		have := structFields(typeOf(row))
		info := entityByName(entity)
		for _, fields := range []map[string]fieldInfo{info.fields, info.order} {
			for name := range fields {
				if have[name] == nil {
					t.Errorf("%T has no member for %s.%s", row, entity, name)
				}
			}
		}
	}
}

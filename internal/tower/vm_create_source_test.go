// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"errors"
	"maps"
	"reflect"
	"testing"
)

// Each source has its operation, which is sent what every create is sent and how that operation names the source.
func TestCreateVMBySource(t *testing.T) {
	common := map[string]any{
		"name": "vm", "cluster_id": "cl", "description": "d", "folder_id": "f", "host_id": "h", "guest_os_type": "LINUX", "firmware": "UEFI", "ha": false,
		"cpu_cores": 2.0, "cpu_sockets": 2.0, "vcpu": 4.0, "memory": 1024.0, "status": "RUNNING",
		"owner":   map[string]any{"search_for": "id", "value": "u"},
		"vm_nics": []any{map[string]any{"connect_vlan_id": "vlan", "model": "E1000"}},
	}
	cloudInit := map[string]any{"cloud_init": map[string]any{"hostname": "host"}}
	for operation, tc := range map[string]struct {
		source VMCreate
		own    []map[string]any
	}{
		opCreate:             {VMCreate{ContentLibraryVMTemplateID: "s", CloudInit: &CloudInit{Hostname: "host"}}, []map[string]any{{"template_id": "s", "is_full_copy": false}, cloudInit}},
		opCreateFromTemplate: {VMCreate{VMTemplateID: "s", FullCopy: true, CloudInit: &CloudInit{Hostname: "host"}}, []map[string]any{{"template_id": "s", "is_full_copy": true}, cloudInit}},
		opClone:              {VMCreate{SourceVMID: "s"}, []map[string]any{{"src_vm_id": "s"}}},
		opRebuild:            {VMCreate{VMSnapshotID: "s", FullCopy: true}, []map[string]any{{"rebuild_from_snapshot_id": "s", "is_full_copy": true}}},
	} {
		t.Run(operation, func(t *testing.T) {
			f := newFake(t)
			f.on(operation, func(int, request) answer { return accept("task") })
			in := tc.source
			in.Name, in.ClusterID, in.Running = "vm", "cl", true
			in.Description, in.FolderID, in.HostID, in.GuestOSType, in.Firmware = ptr("d"), ptr("f"), ptr("h"), ptr("LINUX"), ptr("UEFI")
			in.HA, in.CPUCores, in.CPUSockets, in.MemoryBytes = ptr(false), ptr(2), ptr(2), ptr(int64(1024))
			in.Owner, in.NICs = &Owner{SearchFor: OwnerByID, Value: "u"}, []NICCreate{{VLANID: "vlan", Model: "E1000"}}
			cr, err := f.client().CreateVM(short(t), in)
			if err != nil {
				t.Fatal(err)
			}
			cr.Release()
			want := maps.Clone(common)
			for _, own := range tc.own {
				maps.Copy(want, own)
			}
			if got := f.seen(operation)[0].list; !reflect.DeepEqual(got, []any{want}) {
				t.Errorf("sent %v\nwant %v", got, want)
			}
			if cr.ID != "vm-1" || f.count(operation) != 1 {
				t.Errorf("VM %s after %d calls", cr.ID, f.count(operation))
			}
		})
	}
}

// Whatever the source, a lost reply is no reason to create twice: the VM that has appeared is adopted.
func TestCreateVMAdoptsWhateverTheSource(t *testing.T) {
	for operation, source := range map[string]VMCreate{
		opCreateFromTemplate: {VMTemplateID: "s"}, opClone: {SourceVMID: "s"}, opRebuild: {VMSnapshotID: "s"},
	} {
		t.Run(operation, func(t *testing.T) {
			f := newFake(t)
			f.on(operation, func(int, request) answer { return answer{drop: true} })
			f.on("get-vms", func(int, request) answer {
				return answer{body: []any{map[string]any{"id": "vm-1", "name": "vm", "cluster": map[string]any{"id": "cl", "name": "cl"}}}}
			})
			source.Name, source.ClusterID = "vm", "cl"
			cr, err := f.client().CreateVM(short(t), source)
			if err != nil {
				t.Fatal(err)
			}
			cr.Release()
			if !cr.Adopted || cr.ID != "vm-1" || f.count(operation) != 1 {
				t.Errorf("adopted %t, VM %s, %d calls", cr.Adopted, cr.ID, f.count(operation))
			}
		})
	}
}

func TestCreateVMNeedsOneSource(t *testing.T) {
	for name, in := range map[string]VMCreate{
		"none": {Name: "vm", ClusterID: "cl"},
		"two":  {Name: "vm", ClusterID: "cl", SourceVMID: "s", VMTemplateID: "s"},
	} {
		f := newFake(t)
		c := f.client()
		_, err := c.CreateVM(short(t), in)
		var refused *Error
		if !errors.As(err, &refused) || refused.Class != ClassRefused || len(c.creates) != 0 {
			t.Errorf("%s: %v", name, err)
		}
		for _, operation := range []string{opCreate, opCreateFromTemplate, opClone, opRebuild} {
			if f.count(operation) != 0 {
				t.Errorf("%s: %s was sent", name, operation)
			}
		}
	}
}

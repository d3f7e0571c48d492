// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_folder"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

func wantedVM() VMCreate {
	return VMCreate{Name: "vm", ClusterID: "cl", ContentLibraryVMTemplateID: "tpl"}
}

// named is a VM with a name, as get-vms shows it to a look-up by name.
func named(id, name, async string) map[string]any {
	v := vmJSON(id, StatusStopped, async)
	v["name"] = name
	return v
}

func TestCreateVM(t *testing.T) {
	f := newFake(t)
	f.on(opCreate, func(int, request) answer { return accept("task") })
	f.oneTask(func(n int) string { return []string{"PENDING", "EXECUTING", taskSucceeded}[min(n, 3)-1] })
	f.oneVM(func(n int) map[string]any {
		v := vmJSON("vm-1", StatusStopped, "")
		switch {
		case n < 3:
			v["local_id"], v["entityAsyncStatus"] = "placeholder-11111111-2222-3333-4444-555555555555", "CREATING"
		case n < 5: // Idle, but the cluster has not made it yet.
			v["local_id"] = "placeholder-11111111-2222-3333-4444-555555555555"
		case n < 7:
			v["entityAsyncStatus"] = "UPDATING"
		}
		return v
	})
	c := f.client()
	cr, err := c.CreateVM(short(t), wantedVM())
	if err != nil {
		t.Fatal(err)
	}
	if cr.ID != "vm-1" || !slices.Equal(cr.call.tasks, []string{"task"}) || cr.call.requestID != "req-task" || cr.Adopted {
		t.Errorf("got %q, %+v, %t", cr.ID, cr.call, cr.Adopted)
	}
	if len(c.creates) != 1 {
		t.Error("the create holds no place")
	}
	v, err := cr.Wait(short(t))
	if err != nil {
		t.Fatal(err)
	}
	if v.LocalID != "11111111-2222-3333-4444-555555555555" || !v.HasRealLocalID() || f.count("get-vms") < 7 {
		t.Errorf("the wait ended with the local id %q after %d looks", v.LocalID, f.count("get-vms"))
	}
	if len(c.creates) != 0 || f.count(opCreate) != 1 {
		t.Errorf("%d places taken, %d create calls", len(c.creates), f.count(opCreate))
	}
	cr.Release()
	if len(c.creates) != 0 {
		t.Error("a second release took a place")
	}
}

func TestCreateVM_request(t *testing.T) {
	f := newFake(t)
	f.on(opCreate, func(int, request) answer { return accept("task") })
	in := wantedVM()
	in.FullCopy, in.Running = true, true
	in.Description, in.FolderID, in.HostID, in.GuestOSType, in.Firmware = ptr("d"), ptr("f"), ptr("h"), ptr("LINUX"), ptr("UEFI")
	in.HA, in.CPUCores, in.CPUSockets, in.MemoryBytes = ptr(false), ptr(2), ptr(3), ptr(int64(1<<30))
	in.Owner = &Owner{SearchFor: OwnerByUsername, Value: "alice"}
	in.NICs = []NICCreate{{VLANID: "v1"}, {VLANID: "v2", Model: "E1000", MAC: "52:54:00:00:00:01", Enabled: ptr(false), Mirror: ptr(true)}}
	in.CloudInit = &CloudInit{
		Hostname: "host", UserData: "#cloud-config", DefaultUserPassword: "pw", Nameservers: []string{"10.0.0.2"}, PublicKeys: []string{"ssh-rsa x"},
		Networks: []CloudInitNetwork{
			{NICIndex: 0, Type: "IPV4_DHCP"},
			{NICIndex: 1, Type: "IPV4", IPAddress: "10.0.0.3", Netmask: "255.0.0.0", Routes: []CloudInitRoute{{Network: "0.0.0.0", Netmask: "0.0.0.0", Gateway: "10.0.0.1"}}},
		},
	}
	cr, err := f.client().CreateVM(short(t), in)
	if err != nil {
		t.Fatal(err)
	}
	cr.Release()
	want := []any{map[string]any{
		"name": "vm", "cluster_id": "cl", "template_id": "tpl", "is_full_copy": true, "status": "RUNNING", "description": "d", "folder_id": "f", "host_id": "h",
		"guest_os_type": "LINUX", "firmware": "UEFI", "ha": false, "cpu_cores": 2.0, "cpu_sockets": 3.0, "vcpu": 6.0, "memory": float64(1 << 30),
		"owner": map[string]any{"search_for": "username", "value": "alice"},
		"vm_nics": []any{
			map[string]any{"connect_vlan_id": "v1"},
			map[string]any{"connect_vlan_id": "v2", "model": "E1000", "mac_address": "52:54:00:00:00:01", "enabled": false, "mirror": true},
		},
		"cloud_init": map[string]any{
			"hostname": "host", "user_data": "#cloud-config", "default_user_password": "pw", "nameservers": []any{"10.0.0.2"}, "public_keys": []any{"ssh-rsa x"},
			"networks": []any{
				map[string]any{"nic_index": 0.0, "type": "IPV4_DHCP"},
				map[string]any{"nic_index": 1.0, "type": "IPV4", "ip_address": "10.0.0.3", "netmask": "255.0.0.0", "routes": []any{map[string]any{"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": "10.0.0.1"}}},
			},
		},
	}}
	if got := f.seen(opCreate)[0].list; !reflect.DeepEqual(got, want) {
		t.Errorf("sent %v\nwant %v", got, want)
	}
}

// What is not configured is the template's, so it is not sent; an empty list of NICs is sent, it means none.
func TestCreateVM_leavesOut(t *testing.T) {
	f := newFake(t)
	f.on(opCreate, func(int, request) answer { return accept("task") })
	c := f.client()
	for _, in := range []VMCreate{wantedVM(), {Name: "vm", ClusterID: "cl", ContentLibraryVMTemplateID: "tpl", NICs: []NICCreate{}}} {
		cr, err := c.CreateVM(short(t), in)
		if err != nil {
			t.Fatal(err)
		}
		cr.Release()
	}
	want := map[string]any{"name": "vm", "cluster_id": "cl", "template_id": "tpl", "is_full_copy": false, "status": "STOPPED"}
	sent := f.seen(opCreate)
	if got := sent[0].list[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("sent %v, want %v", got, want)
	}
	want["vm_nics"] = []any{}
	if got := sent[1].list[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("sent %v, want %v", got, want)
	}
}

func TestCreateVM_refusesAnIncompleteRequest(t *testing.T) {
	f := newFake(t)
	c := f.client()
	for _, in := range []VMCreate{{}, {Name: "n", ClusterID: "c"}, {Name: "n", ContentLibraryVMTemplateID: "t"}, {ClusterID: "c", ContentLibraryVMTemplateID: "t"}} {
		if _, err := c.CreateVM(short(t), in); err == nil {
			t.Errorf("accepted %+v", in)
		}
	}
	if n := f.count(opCreate); n != 0 || len(c.creates) != 0 {
		t.Errorf("%d calls, %d places taken", n, len(c.creates))
	}
}

func TestCreateVM_taskFails(t *testing.T) {
	f := newFake(t)
	f.on(opCreate, func(int, request) answer { return accept("task") })
	f.on("get-tasks", func(int, request) answer {
		task := taskJSON("task", taskFailed)
		task["error_code"], task["error_message"] = "CREATE_VM_FORM_TEMPLATE_FAILED", layered
		return answer{body: []any{task}}
	})
	c := f.client()
	cr, err := c.CreateVM(short(t), wantedVM())
	if err != nil {
		t.Fatal(err)
	}
	_, err = cr.Wait(short(t))
	var failed *TaskError
	if !errors.As(err, &failed) || failed.Code != "VM_CLOUD_INIT_CONFIG_ERROR" || failed.RequestID != "req-task" {
		t.Errorf("got %v", err)
	}
	if len(c.creates) != 0 {
		t.Error("the place was not given back")
	}
}

// Tower forgets the task and deletes the record: the create has failed, and the object's newest task may tell why.
func TestCreateVM_forgotten(t *testing.T) {
	for name, known := range map[string]bool{"reason known": true, "reason unknown": false} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.on(opCreate, func(int, request) answer { return accept("task") })
			f.oneVM(func(int) map[string]any { return nil })
			f.on("get-tasks", func(_ int, r request) answer {
				where, _ := r.body["where"].(map[string]any)
				if where["resource_id"] == "vm-1" && known {
					task := taskJSON("other", taskFailed)
					task["error_message"] = "[EAllocSpace]no space"
					return answer{body: []any{task}}
				}
				return answer{body: []any{}}
			})
			cr, err := f.client().CreateVM(short(t), wantedVM())
			if err != nil {
				t.Fatal(err)
			}
			_, err = cr.Wait(short(t))
			var failed *TaskError
			if !errors.As(err, &failed) || known != (failed.Code == "EAllocSpace") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A create whose outcome is not known is never sent again; a VM of the name that appears is its result.
func TestCreateVM_adopts(t *testing.T) {
	for name, broken := range map[string]answer{
		"connection lost":    {drop: true},
		"reply broken off":   {body: []any{map[string]any{"task_id": "task", "data": map[string]any{"id": "vm-1"}}}, cut: true},
		"proxy gave up":      {status: 504, body: "<html><title>504 Gateway Time-out</title></html>", header: map[string]string{"Content-Type": "text/html"}},
		"Tower stumbled":     refusal(500, "", "boom"),
		"reply names no VM":  {body: []any{}},
		"reply is no answer": {body: "<html></html>", status: 200},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.on(opCreate, func(int, request) answer { return broken })
			f.on("get-vms", func(n int, r request) answer {
				if n < 3 {
					return answer{body: []any{}}
				}
				return answer{body: []any{named("vm-9", "vm", "")}}
			})
			c := f.client()
			cr, err := c.CreateVM(short(t), wantedVM())
			if err != nil {
				t.Fatal(err)
			}
			if cr.ID != "vm-9" || !cr.Adopted || len(cr.call.tasks) > 0 {
				t.Errorf("got %q, adopted %t, tasks %q", cr.ID, cr.Adopted, cr.call.tasks)
			}
			v, err := cr.Wait(short(t))
			if err != nil || v.ID != "vm-9" {
				t.Errorf("got %+v, %v", v, err)
			}
			if n := f.count(opCreate); n != 1 {
				t.Errorf("%d create calls", n)
			}
			if len(c.creates) != 0 {
				t.Error("the place was not given back")
			}
		})
	}
}

func TestCreateVM_ambiguous(t *testing.T) {
	for _, tc := range []struct {
		name  string
		shown []any
		ids   []string
	}{
		{"no VM appears", []any{}, nil},
		{"only one in the recycle bin", []any{func() any { v := named("vm-9", "vm", ""); v["in_recycle_bin"] = true; return v }()}, nil},
		{"two of the name", []any{named("vm-8", "vm", ""), named("vm-9", "vm", "")}, []string{"vm-8", "vm-9"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t)
			f.on(opCreate, func(int, request) answer { return answer{drop: true} })
			f.on("get-vms", func(int, request) answer { return answer{body: tc.shown} })
			c := f.client()
			_, err := c.CreateVM(short(t), wantedVM())
			var unknown *AmbiguousError
			if !errors.As(err, &unknown) || unknown.Kind != "VM" || unknown.Name != "vm" || unknown.ClusterID != "cl" || !reflect.DeepEqual(unknown.IDs, tc.ids) {
				t.Fatalf("got %v", err)
			}
			var call *Error
			if !errors.As(err, &call) || call.Class != ClassTransient {
				t.Errorf("the cause is lost: %v", err)
			}
			if n := f.count(opCreate); n != 1 || len(c.creates) != 0 {
				t.Errorf("%d create calls, %d places taken", n, len(c.creates))
			}
		})
	}
}

// A look-up that fails is no evidence that nothing was created.
func TestCreateVM_lookUpFails(t *testing.T) {
	f := newFake(t)
	f.on(opCreate, func(int, request) answer { return answer{drop: true} })
	f.on("get-vms", func(n int, _ request) answer {
		if n <= 4 {
			return refusal(500, "", "boom")
		}
		return answer{body: []any{named("vm-9", "vm", "")}}
	})
	cr, err := f.client().CreateVM(short(t), wantedVM())
	if err != nil || cr.ID != "vm-9" {
		t.Fatalf("got %+v, %v", cr, err)
	}
}

// An adopted VM that goes again is a create that failed.
func TestCreateVM_adoptedAndGone(t *testing.T) {
	f := newFake(t)
	f.on(opCreate, func(int, request) answer { return answer{drop: true} })
	f.on("get-vms", func(n int, _ request) answer {
		if n == 1 {
			return answer{body: []any{named("vm-9", "vm", "CREATING")}}
		}
		return answer{body: []any{}}
	})
	f.on("get-tasks", func(int, request) answer { return answer{body: []any{}} })
	cr, err := f.client().CreateVM(short(t), wantedVM())
	if err != nil {
		t.Fatal(err)
	}
	_, err = cr.Wait(short(t))
	var failed *TaskError
	if !errors.As(err, &failed) {
		t.Errorf("got %v, want a TaskError", err)
	}
}

// A refusal is final, and its words come through.
func TestCreateVM_refused(t *testing.T) {
	f := newFake(t)
	f.on(opCreate, func(int, request) answer { return refusal(404, "", "no such template") })
	c := f.client()
	_, err := c.CreateVM(short(t), wantedVM())
	var call *Error
	if !errors.As(err, &call) || !errors.Is(err, ErrNotFound) || call.Message != "no such template" || call.RequestID != "req-1" {
		t.Errorf("got %v", err)
	}
	if f.count(opCreate) != 1 || f.count("get-vms") != 0 || len(c.creates) != 0 {
		t.Errorf("%d creates, %d look-ups, %d places", f.count(opCreate), f.count("get-vms"), len(c.creates))
	}
}

// 401 and a lock say that nothing was done.
func TestCreateVM_nothingWasDone(t *testing.T) {
	for name, first := range map[string]answer{
		"session over": refusal(401, "", "session expired"),
		"locked":       refusal(400, "ResourceLocked", "VM-x is locked"),
		"too many":     refusal(429, "", "slow down"),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.on(opCreate, func(n int, _ request) answer {
				if n == 1 {
					return first
				}
				return accept("task")
			})
			cr, err := f.client().CreateVM(short(t), wantedVM())
			if err != nil || cr.ID != "vm-1" {
				t.Fatalf("got %+v, %v", cr, err)
			}
			if n := f.count(opCreate); n != 2 {
				t.Errorf("%d calls, want 2", n)
			}
		})
	}
}

// Ctrl-C while the call is on its way does not lose the id.
func TestCreateVM_outlivesItsContext(t *testing.T) {
	f := newFake(t)
	ctx, cancel := context.WithCancel(short(t))
	f.on(opCreate, func(int, request) answer {
		a := accept("task")
		a.then = cancel
		return a
	})
	f.oneTask(func(int) string { return "EXECUTING" })
	c := f.client()
	cr, err := c.CreateVM(ctx, wantedVM())
	if err != nil || cr.ID != "vm-1" {
		t.Fatalf("got %+v, %v", cr, err)
	}
	if _, err := cr.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the wait ended with %v", err)
	}
	if len(c.creates) != 0 {
		t.Error("the place was not given back")
	}
}

// Nor while the call is lost on its way.
func TestCreateVM_adoptsAfterItsContext(t *testing.T) {
	f := newFake(t)
	ctx, cancel := context.WithCancel(short(t))
	f.on(opCreate, func(int, request) answer { return answer{then: cancel, drop: true} })
	f.on("get-vms", func(int, request) answer { return answer{body: []any{named("vm-9", "vm", "")}} })
	cr, err := f.client().CreateVM(ctx, wantedVM())
	if err != nil || cr.ID != "vm-9" || !cr.Adopted {
		t.Fatalf("got %+v, %v", cr, err)
	}
	cr.Release()
}

func TestCreateVM_placesAreLimited(t *testing.T) {
	f := newFake(t)
	var calls, most atomic.Int32
	f.on(opCreate, func(n int, _ request) answer {
		calls.Add(1)
		return accept("task")
	})
	c, ctx := f.client(), short(t)
	var open []*Creation[VM]
	for range maxCreates {
		cr, err := c.CreateVM(ctx, wantedVM())
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, cr)
	}
	impatient, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := c.CreateVM(impatient, wantedVM()); !errors.Is(err, context.Canceled) {
		t.Errorf("a create too many got %v", err)
	}
	if calls.Load() != maxCreates {
		t.Errorf("%d calls, want %d", calls.Load(), maxCreates)
	}
	var all sync.WaitGroup
	for range 3 * maxCreates {
		all.Go(func() {
			cr, err := c.CreateVM(ctx, wantedVM())
			if err != nil {
				t.Error(err)
				return
			}
			most.Store(max(most.Load(), int32(len(c.creates))))
			cr.Release()
		})
	}
	for _, cr := range open {
		cr.Release()
	}
	all.Wait()
	if most.Load() > maxCreates || len(c.creates) != 0 {
		t.Errorf("%d places taken at most, %d at the end", most.Load(), len(c.creates))
	}
}

// An object that was there before the call is not its result, whatever its name.
func TestCreate_adoptsOnlyWhatHasAppeared(t *testing.T) {
	folder := func(id string) any {
		return map[string]any{"id": id, "name": "web", "cluster": map[string]any{"id": "cl"}}
	}
	for _, tc := range []struct {
		name    string
		after   []any
		adopted string
		ids     []string
	}{
		{"one appears", []any{folder("old"), folder("new")}, "new", nil},
		{"none appears", []any{folder("old")}, "", nil},
		{"two appear", []any{folder("old"), folder("new"), folder("newer")}, "", []string{"new", "newer"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t)
			f.on("get-vm-folders", func(n int, _ request) answer {
				if n == 1 {
					return answer{body: []any{folder("old")}}
				}
				return answer{body: tc.after}
			})
			f.on("create-vm-folder", func(int, request) answer { return answer{drop: true} })
			c := f.client()
			cr, err := c.folders.create(short(t), creation[VMFolder]{operation: "create-vm-folder", name: "web", clusterID: "cl", send: func(ctx context.Context) ([]receipt, error) {
				return receipts(vm_folder.New(c.sdk()).CreateVMFolder(vm_folder.NewCreateVMFolderParamsWithContext(ctx).WithRequestBody([]*models.VMFolderCreationParams{})))
			}})
			var unknown *AmbiguousError
			switch {
			case tc.adopted != "" && (err != nil || cr.ID != tc.adopted || !cr.Adopted):
				t.Errorf("got %+v, %v", cr, err)
			case tc.adopted == "" && (!errors.As(err, &unknown) || !slices.Equal(unknown.IDs, tc.ids)):
				t.Errorf("got %v, want the candidates %q", err, tc.ids)
			}
			if n := f.count("create-vm-folder"); n != 1 {
				t.Errorf("%d create calls", n)
			}
		})
	}
}

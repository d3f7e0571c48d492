// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestVM_conversion(t *testing.T) {
	f := newFake(t)
	full := vmJSON("a", StatusRunning, "UPDATING")
	full["description"], full["firmware"], full["guest_os_type"], full["vm_tools_version"] = "d", "UEFI", "LINUX", "3.1"
	full["host"] = map[string]any{"id": "h", "name": "host"}
	full["folder"] = map[string]any{"id": "f", "name": "folder"}
	full["labels"] = []any{map[string]any{"id": "l", "key": "k", "value": nil}, nil}
	f.oneVM(func(int) map[string]any { return full })
	v, err := f.client().VM(short(t), "a")
	if err != nil {
		t.Fatal(err)
	}
	want := VM{
		ID: "a", LocalID: "11111111-2222-3333-4444-555555555555", Name: "vm-a", Description: "d", ClusterID: "cl", ClusterName: "cluster", HostID: "h", FolderID: "f",
		Status: "RUNNING", ToolsStatus: "NOT_INSTALLED", ToolsVersion: "3.1", Firmware: "UEFI", GuestOSType: "LINUX", EntityAsyncStatus: "UPDATING", HA: true,
		VCPU: 4, CPUCores: 2, CPUSockets: 2, MemoryBytes: 1 << 30, CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Labels: []Label{{ID: "l", Key: "k"}},
	}
	if !reflect.DeepEqual(*v, want) {
		t.Errorf("got %+v\nwant %+v", *v, want)
	}
}

// Tower's objects may lack any member, and hold values that nobody has heard of.
func TestConversions_sparse(t *testing.T) {
	f := newFake(t)
	sparse := answer{body: []any{nil, map[string]any{"id": "a"}, map[string]any{"id": "b", "status": "SOMETHING_NEW", "type": "NEW", "local_id": "placeholder-11111111-2222-3333-4444-555555555555", "vm": map[string]any{"id": "a"}}}}
	for _, op := range []string{"get-vms", "get-vm-nics", "get-clusters", "get-vlans", "get-content-library-vm-templates", "get-hosts", "get-vm-folders"} {
		f.on(op, func(int, request) answer { return sparse })
	}
	c, ctx := f.client(), short(t)
	v, err := c.VM(ctx, "b")
	if err != nil || v.Status != "SOMETHING_NEW" || v.LocalID != "" || v.HasRealLocalID() {
		t.Errorf("VM %+v, %v", v, err)
	}
	if _, err := c.VM(ctx, "placeholder-11111111-2222-3333-4444-555555555555"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a placeholder found a VM: %v", err)
	}
	if nics, err := c.VMNICs(ctx, "a"); err != nil || len(nics) != 1 || !nics[0].Enabled || nics[0].Type != "NEW" || nics[0].IPAddresses != nil {
		t.Errorf("NICs %+v, %v", nics, err)
	}
	for name, read := range map[string]func() error{
		"cluster":  func() error { _, err := c.Cluster(ctx, "a"); return err },
		"vlan":     func() error { _, err := c.VLAN(ctx, "a"); return err },
		"template": func() error { _, err := c.ContentLibraryVMTemplate(ctx, "a"); return err },
		"host":     func() error { _, err := c.Host(ctx, "a"); return err },
		"folder":   func() error { _, err := c.VMFolder(ctx, "a"); return err },
	} {
		if err := read(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var none *VM
	if none.HasRealLocalID() {
		t.Error("no VM has a local id")
	}
}

func TestReads_notFound(t *testing.T) {
	f := newFake(t)
	for _, op := range []string{"get-vms", "get-vm-nics", "get-clusters", "get-vlans", "get-content-library-vm-templates", "get-hosts", "get-vm-folders"} {
		f.on(op, func(int, request) answer { return answer{body: []any{}} })
	}
	c, ctx := f.client(), short(t)
	for _, id := range []string{"", "x"} {
		for name, read := range map[string]func() error{
			"vm":       func() error { _, err := c.VM(ctx, id); return err },
			"name":     func() error { _, err := c.VMByName(ctx, "cl", id); return err },
			"cluster":  func() error { _, err := c.Cluster(ctx, id); return err },
			"vlan":     func() error { _, err := c.VLAN(ctx, id); return err },
			"template": func() error { _, err := c.ContentLibraryVMTemplate(ctx, id); return err },
			"host":     func() error { _, err := c.Host(ctx, id); return err },
			"folder":   func() error { _, err := c.VMFolder(ctx, id); return err },
		} {
			if err := read(); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s %q: got %v, want ErrNotFound", name, id, err)
			}
		}
	}
	if nics, err := c.VMNICs(ctx, "x"); err != nil || len(nics) != 0 {
		t.Errorf("NICs of no VM: %v, %v", nics, err)
	}
}

// A list that cannot be had is not an object that is not there.
func TestReads_404IsNotMissing(t *testing.T) {
	f := newFake(t)
	for _, a := range []answer{refusal(404, "", "no"), {status: 404, body: "<html></html>"}} {
		f.on("get-vms", func(int, request) answer { return a })
		if _, err := f.client().VM(short(t), "a"); err == nil || errors.Is(err, ErrNotFound) {
			t.Errorf("got %v", err)
		}
	}
}

func TestReads_merge(t *testing.T) {
	f := newFake(t)
	f.on("get-vms", func(_ int, r request) answer {
		raw, _ := json.Marshal(r.body["where"])
		var out []any
		for i := range 50 {
			if strings.Contains(string(raw), fmt.Sprintf(`"vm-%d"`, i)) {
				out = append(out, vmJSON(fmt.Sprintf("vm-%d", i), StatusRunning, ""))
			}
		}
		return answer{body: out}
	})
	cfg := quickConfig(f.URL)
	tune := quick()
	tune.window = 100 * time.Millisecond
	c, err := newClient(cfg, tune)
	if err != nil {
		t.Fatal(err)
	}
	ctx := short(t)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			id := fmt.Sprintf("vm-%d", i)
			if v, err := c.VM(ctx, id); err != nil || v.ID != id {
				t.Errorf("%s: %+v, %v", id, v, err)
			}
		})
	}
	all.Wait()
	if n := f.count("get-vms"); n > 2 {
		t.Errorf("%d requests for 50 reads at once", n)
	}
}

func TestVMByName(t *testing.T) {
	f := newFake(t)
	f.on("get-vms", func(_ int, r request) answer {
		young, old, binned, elsewhere := named("young", "x", ""), named("old", "x", ""), named("binned", "x", ""), named("elsewhere", "x", "")
		old["local_created_at"] = "2020-01-01T00:00:00Z"
		binned["in_recycle_bin"], binned["local_created_at"] = true, "2019-01-01T00:00:00Z"
		elsewhere["cluster"] = map[string]any{"id": "other"}
		return answer{body: []any{young, binned, elsewhere, old}}
	})
	c := f.client()
	v, err := c.VMByName(short(t), "cl", "x")
	if err != nil || v.ID != "old" {
		t.Errorf("got %+v, %v; want the oldest", v, err)
	}
	where := f.seen("get-vms")[0].body["where"]
	want := map[string]any{"in_recycle_bin": false, "OR": []any{map[string]any{"cluster": map[string]any{"id": "cl"}, "name_in": []any{"x"}}}}
	if !reflect.DeepEqual(where, want) {
		t.Errorf("asked %v, want %v", where, want)
	}
	if v, err := c.VMByName(short(t), "other", "x"); err != nil || v.ID != "elsewhere" {
		t.Errorf("got %+v, %v", v, err)
	}
}

func TestVMNICs(t *testing.T) {
	f := newFake(t)
	nic := func(id, vm string, order int, address any) map[string]any {
		return map[string]any{
			"id": id, "vm": map[string]any{"id": vm}, "order": order, "ip_address": address, "mac_address": "52:54:00:AA:BB:0" + id, "enabled": id != "3", "mirror": false,
			"vlan": map[string]any{"id": "v", "name": "default"}, "model": "VIRTIO", "type": "VLAN", "gateway": "10.0.0.1", "subnet_mask": "255.0.0.0",
		}
	}
	newer := nic("1", "a", 1, "10.0.0.5")
	newer["guest_info_ip_addresses"] = []any{"10.0.0.5", "10.0.0.6", " "}
	newer["guest_info_ip_addresses_v6"] = []any{"fd00::1"}
	f.on("get-vm-nics", func(int, request) answer {
		return answer{body: []any{newer, nic("0", "a", 0, nil), nic("3", "b", 0, ""), nic("2", "a", 2, " 10.0.0.7 ")}}
	})
	nics, err := f.client().VMNICs(short(t), "a")
	if err != nil || len(nics) != 3 {
		t.Fatalf("got %+v, %v", nics, err)
	}
	want := VMNIC{
		ID: "1", VMID: "a", MAC: "52:54:00:aa:bb:01", VLANID: "v", VLANName: "default", Model: "VIRTIO", Type: "VLAN", Order: 1, Enabled: true,
		IPAddresses: []string{"10.0.0.5", "10.0.0.6", "fd00::1"}, Gateway: "10.0.0.1", SubnetMask: "255.0.0.0",
	}
	if !reflect.DeepEqual(nics[1], want) {
		t.Errorf("got %+v\nwant %+v", nics[1], want)
	}
	if nics[0].ID != "0" || nics[0].IPAddresses != nil || !reflect.DeepEqual(nics[2].IPAddresses, []string{"10.0.0.7"}) {
		t.Errorf("got %+v", nics)
	}
}

// Bodies, headers and credentials never reach the log.
func TestLog_tellsNoSecrets(t *testing.T) {
	f := newFake(t)
	f.on("login", func(int, request) answer { return answer{body: loggedIn("token-very-secret")} })
	f.on(opCreate, func(n int, _ request) answer { return answer{drop: true} })
	f.on("get-vms", func(n int, _ request) answer {
		if n == 1 {
			return refusal(500, "", "boom")
		}
		return answer{body: []any{named("vm-9", "vm", "")}}
	})
	var mu sync.Mutex
	var lines []string
	c := f.client(func(c *Config) {
		c.Password = "password-very-secret"
		c.Headers = map[string]string{"x-key": "header-very-secret"}
		c.Log = func(_ context.Context, level LogLevel, msg string, fields map[string]any) {
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, fmt.Sprint(level, msg, fields))
		}
	})
	in := wantedVM()
	in.CloudInit = &CloudInit{UserData: "data-very-secret", DefaultUserPassword: "guest-very-secret"}
	cr, err := c.CreateVM(short(t), in)
	if err != nil {
		t.Fatal(err)
	}
	cr.Release()
	if len(lines) < 5 {
		t.Errorf("only %d lines were logged: %v", len(lines), lines)
	}
	for _, line := range lines {
		if strings.Contains(line, "very-secret") {
			t.Errorf("a secret in the log: %s", line)
		}
	}
}

// The generated client prints whole requests when these are in the environment; ours must not.
func TestDebugEnvironment_tellsNoSecrets(t *testing.T) {
	t.Setenv("SWAGGER_DEBUG", "1")
	t.Setenv("DEBUG", "1")
	printed, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	out, errOut := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = printed, printed
	err = newFake(t).client().Login(short(t))
	os.Stdout, os.Stderr = out, errOut
	if err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(printed.Name())
	if err != nil || len(text) != 0 {
		t.Errorf("printed %q, %v", text, err)
	}
}

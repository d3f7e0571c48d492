// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"sync"
	"testing"
)

// twoDrives makes the fake show a VM with a disk between two drives, of which the second holds an image. Each look shows
// other ids.
func twoDrives(f *fake) {
	f.oneVM(func(int) map[string]any { return vmJSON("vm-1", StatusRunning, "") })
	f.oneTask(done)
	f.on("get-vm-disks", func(n int, _ request) answer {
		id := func(of string) string { return of + "-" + string(rune('0'+n)) }
		owner := map[string]any{"id": "vm-1", "name": "vm"}
		return answer{body: []any{
			map[string]any{"id": id("full"), "type": DiskCDROM, "bus": "IDE", "boot": 3, "vm": owner, "elf_image": map[string]any{"id": "iso", "name": "iso"}},
			map[string]any{"id": id("empty"), "type": DiskCDROM, "bus": "IDE", "boot": 1, "vm": owner},
			map[string]any{"id": id("disk"), "type": "DISK", "bus": "VIRTIO", "boot": 2, "vm": owner, "vm_volume": map[string]any{"id": "v", "name": "v"}},
			map[string]any{"id": id("hidden"), "type": DiskCDROM, "bus": "IDE", "boot": 1, "vm": owner, "cloud_init_image_path": "/cloud-init"},
		}}
	})
}

// Every change of drives names the one VM, and the drive by the id that it has just now.
func TestCDROMChanges(t *testing.T) {
	image, library := &ISO{ID: "elf"}, &ISO{ID: "lib", Library: true}
	for _, tc := range []struct {
		name, operation, want string
		change                func(ctx context.Context, c *Client) error
	}{
		{
			"insert an image", opUpdateDisk, `{"where": {"id": "vm-1"}, "data": {"vm_disk_id": "empty-1", "elf_image_id": "elf"}}`,
			func(ctx context.Context, c *Client) error { return c.SetVMCDROM(ctx, "vm-1", 1, image) },
		},
		{
			"insert one of the library", opUpdateDisk, `{"where": {"id": "vm-1"}, "data": {"vm_disk_id": "full-1", "content_library_image_id": "lib"}}`,
			func(ctx context.Context, c *Client) error { return c.SetVMCDROM(ctx, "vm-1", 3, library) },
		},
		{
			"eject", opEjectISO, `{"where": {"id": "full-1", "vm": {"id": "vm-1"}}}`,
			func(ctx context.Context, c *Client) error { return c.SetVMCDROM(ctx, "vm-1", 3, nil) },
		},
		{
			"add", opAddCDROM, `{"where": {"id": "vm-1"}, "data": {"vm_cd_roms": [{"boot": 4, "elf_image_id": "elf"}, {"boot": 5}, {"boot": 6, "content_library_image_id": "lib"}]}}`,
			func(ctx context.Context, c *Client) error {
				return c.AddVMCDROMs(ctx, "vm-1", []CDROMCreate{{ISO: image, Boot: 1}, {}, {ISO: library}})
			},
		},
		{
			"remove", opRemoveCDROM, `{"where": {"id": "vm-1"}, "data": {"cd_rom_ids": ["empty-1", "full-1"]}}`,
			func(ctx context.Context, c *Client) error { return c.RemoveVMCDROMs(ctx, "vm-1", []int{3, 2, 1}) },
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t)
			twoDrives(f)
			// Nothing to change is a success, and so is a lock that goes away.
			f.on(tc.operation, func(n int, _ request) answer {
				switch n {
				case 1:
					return answer{status: 304}
				case 2:
					return refusal(400, "ResourceLocked", "VM-vm-1 is locked")
				}
				return accept("task")
			})
			c := f.client()
			for range 2 {
				if err := tc.change(short(t), c); err != nil {
					t.Fatal(err)
				}
			}
			sent := f.seen(tc.operation)
			var want map[string]any
			if err := json.Unmarshal([]byte(tc.want), &want); err != nil {
				t.Fatal(err)
			}
			if len(sent) != 3 || !reflect.DeepEqual(sent[0].body, want) {
				t.Errorf("%d calls, the first with %s, want %s", len(sent), sent[0].raw, tc.want)
			}
		})
	}
}

func TestCDROMChangesOfNothing(t *testing.T) {
	f := newFake(t)
	twoDrives(f)
	c, ctx := f.client(), short(t)
	if err := errors.Join(c.AddVMCDROMs(ctx, "vm-1", nil), c.RemoveVMCDROMs(ctx, "vm-1", []int{2, 9})); err != nil {
		t.Error(err)
	}
	if err := c.SetVMCDROM(ctx, "vm-1", 2, nil); !errors.Is(err, ErrNotFound) {
		t.Errorf("a disk is no drive, got %v", err)
	}
	if err := c.SetVMCDROM(ctx, "", 1, nil); !errors.Is(err, ErrNotFound) {
		t.Errorf("without a VM: %v", err)
	}
	for _, operation := range []string{opAddCDROM, opRemoveCDROM, opUpdateDisk, opEjectISO} {
		if f.count(operation) != 0 {
			t.Errorf("%s was sent", operation)
		}
	}
}

func TestISO(t *testing.T) {
	f := newFake(t)
	image := func(id, cluster, library string) map[string]any {
		out := map[string]any{"id": id, "local_id": "local-" + id, "name": "name", "cluster": map[string]any{"id": cluster, "name": cluster}}
		if library != "" {
			out["content_library_image"] = map[string]any{"id": library, "name": "name"}
		}
		return out
	}
	f.on("get-elf-images", func(int, request) answer {
		return answer{body: []any{image("own", "cl-1", ""), image("copy-1", "cl-1", "lib"), image("copy-2", "cl-2", "lib")}}
	})
	f.on("get-content-library-images", func(int, request) answer {
		return answer{body: []any{map[string]any{"id": "nowhere", "name": "undistributed"}}}
	})
	c, ctx := f.client(), short(t)
	found := map[string]*ISO{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, id := range []string{"own", "local-own", "copy-1", "lib", "nowhere", "none"} {
		all.Go(func() {
			iso, err := c.ISO(ctx, id)
			if (err != nil) != (id == "none") || err != nil && !errors.Is(err, ErrNotFound) {
				t.Errorf("%s: %v", id, err)
			}
			mu.Lock()
			defer mu.Unlock()
			found[id] = iso
		})
	}
	all.Wait()
	for id, want := range map[string]struct {
		id, here, there string
		library         bool
	}{
		"own": {"own", "own", "", false}, "local-own": {"own", "own", "", false}, "copy-1": {"copy-1", "copy-1", "", false},
		"lib": {"lib", "copy-1", "copy-2", true}, "nowhere": {"nowhere", "", "", true},
	} {
		iso := found[id]
		if iso == nil {
			t.Fatalf("%s was not found", id)
		}
		here, _ := iso.In("cl-1")
		there, _ := iso.In("cl-2")
		if iso.ID != want.id || iso.Library != want.library || here.ID != want.here || there.ID != want.there {
			t.Errorf("%s: %+v", id, iso)
		}
	}
	if n, m := f.count("get-elf-images"), f.count("get-content-library-images"); n > 2 || m > 2 {
		t.Errorf("%d and %d requests for six images", n, m)
	}
	if _, err := c.ISO(ctx, ""); !errors.Is(err, ErrNotFound) {
		t.Errorf("without an id: %v", err)
	}
}

// gpuVM makes the fake show a stopped VM with the GPUs that add and remove leave it.
func gpuVM(f *fake, ids ...any) *powered {
	p := newPowered(f, StatusStopped, map[string]string{"start-vm": StatusRunning})
	var mu sync.Mutex
	f.oneVM(func(n int) map[string]any {
		mu.Lock()
		defer mu.Unlock()
		v := p.show(n)
		devices := []any{}
		for _, id := range ids {
			devices = append(devices, map[string]any{"id": id, "name": "gpu"})
		}
		v["gpu_devices"] = devices
		return v
	})
	set := func(now ...any) func(int, request) answer {
		return func(int, request) answer {
			mu.Lock()
			defer mu.Unlock()
			ids = now
			return accept("task")
		}
	}
	f.on(opAddGPU, set("g"))
	f.on(opRemoveGPU, set())
	f.on("get-gpu-devices", func(int, request) answer {
		return answer{body: []any{map[string]any{"id": "g", "local_id": "local-g", "name": "gpu", "status": GPUReady, "host": map[string]any{"id": "h", "name": "h"}}}}
	})
	return p
}

func TestGPUChanges(t *testing.T) {
	f := newFake(t)
	gpuVM(f)
	c, ctx := f.client(), short(t)
	gpus := []VMGPU{{DeviceID: "g", Amount: 2}}
	for name, err := range map[string]error{
		"nothing": errors.Join(c.AddVMGPUs(ctx, "vm-1", nil), c.RemoveVMGPUs(ctx, "vm-1", nil)),
		"add":     c.AddVMGPUs(ctx, "vm-1", gpus),
		"remove":  c.RemoveVMGPUs(ctx, "vm-1", gpus),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, operation := range []string{opAddGPU, opRemoveGPU} {
		want := map[string]any{"where": map[string]any{"id": "vm-1"}, "data": []any{map[string]any{"gpu_id": "g", "amount": 2.0}}}
		if sent := f.seen(operation); len(sent) != 1 || !reflect.DeepEqual(sent[0].body, want) {
			t.Errorf("%s: %v", operation, sent)
		}
	}
	var refused *Error
	if err := c.AddVMGPUs(ctx, "", gpus); !errors.As(err, &refused) || refused.Class != ClassRefused {
		t.Errorf("without a VM: %v", err)
	}
}

// A VM with GPUs starts on their host, whatever the caller knows of it.
func TestStartVMWithGPUs(t *testing.T) {
	f := newFake(t)
	gpuVM(f, "g")
	if err := f.client().StartVM(short(t), "vm-1", ""); err != nil {
		t.Fatal(err)
	}
	data, _ := f.seen("start-vm")[0].body["data"].(map[string]any)
	if data["host_id"] != "h" {
		t.Errorf("started with %v", data)
	}
}

func TestVMGPUs(t *testing.T) {
	for version, want := range map[string][]VMGPU{"4.0.0": {{"g", 3}, {"p", 1}}, "3.4.2": {{"g", 1}, {"p", 1}}} {
		t.Run(version, func(t *testing.T) {
			f := newFake(t)
			f.on("get-version", func(int, request) answer { return answer{body: version} })
			gpuVM(f, "g", "p")
			f.on(opGetVMGPUs, func(int, request) answer {
				return answer{body: []any{map[string]any{"id": "vm-1", "name": "vm", "local_id": "l", "gpu_devices": []any{
					map[string]any{"id": "g", "vgpu_instance_on_vm_num": 3}, map[string]any{"id": "p", "vgpu_instance_on_vm_num": nil},
				}}}}
			})
			c, ctx := f.client(), short(t)
			if err := c.Login(ctx); err != nil {
				t.Fatal(err)
			}
			if got, err := c.VMGPUs(ctx, "vm-1"); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

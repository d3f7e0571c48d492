// SPDX-License-Identifier: MPL-2.0

package tower_test

import (
	"errors"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// folder makes a VM folder.
func (b *bench) folder(t *testing.T, name string) *tower.VMFolder {
	t.Helper()
	cr, err := b.c.CreateVMFolder(b.ctx, name, b.cluster.ID)
	if err != nil {
		t.Fatal(err)
	}
	made, err := cr.Wait(b.ctx)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestSim_vmFolder(t *testing.T) {
	t.Parallel()
	b := newBench(t, "")
	made := b.folder(t, "web")
	if made.ID == "" || made.LocalID == "" || made.Name != "web" || made.ClusterID != b.cluster.ID || made.ClusterName != b.cluster.Name {
		t.Errorf("created %+v", made)
	}
	v := b.create(t, b.wanted("vm"))
	if err := b.c.SetVMFolder(b.ctx, v.ID, made.ID); err != nil {
		t.Fatal(err)
	}
	if err := b.c.UpdateVMFolder(b.ctx, made.ID, "database"); err != nil {
		t.Fatal(err)
	}
	list, err := b.c.VMFolders(b.ctx, tower.Where{"cluster": tower.AnyID(b.cluster.LocalID)})
	if err != nil || len(list) != 1 || list[0].ID != made.ID || list[0].Name != "database" {
		t.Errorf("folders %+v, %v", list, err)
	}
	for range 2 {
		if err := b.c.DeleteVMFolder(b.ctx, made.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.c.VMFolder(b.ctx, made.ID); !errors.Is(err, tower.ErrNotFound) {
		t.Errorf("the folder is still there: %v", err)
	}
	if again, err := b.c.VM(b.ctx, v.ID); err != nil || again.FolderID != "" {
		t.Errorf("the VM is in the folder %q, %v", again.FolderID, err)
	}
	if err := b.c.UpdateVMFolder(b.ctx, made.ID, "x"); !errors.Is(err, tower.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

// Whatever breaks on the way, each call has its effect once.
func TestSim_vmFolderFaults(t *testing.T) {
	t.Parallel()
	const create, update, remove = "create-vm-folder", "update-vm-folder", "delete-vm-folder"
	for name, faults := range map[string][]towersim.Fault{
		"lost after": {
			{Operation: create, Times: 1, Reset: towersim.ResetAfter}, {Operation: update, Times: 1, Reset: towersim.ResetAfter}, {Operation: remove, Times: 1, Reset: towersim.ResetAfter},
		},
		"lost before":  {{Operation: update, Times: 1, Reset: towersim.ResetBefore}, {Operation: remove, Times: 1, Reset: towersim.ResetBefore}},
		"session over": {{Operation: create, Times: 1, Status: 401}, {Operation: update, Times: 1, Status: 401}, {Operation: remove, Times: 1, Status: 401}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "")
			b.fault(t, faults...)
			made := b.folder(t, "web")
			if err := b.c.UpdateVMFolder(b.ctx, made.ID, "database"); err != nil {
				t.Error(err)
			}
			if list, err := b.c.VMFolders(b.ctx, nil); err != nil || len(list) != 1 || list[0].Name != "database" {
				t.Errorf("folders %+v, %v", list, err)
			}
			if err := b.c.DeleteVMFolder(b.ctx, made.ID); err != nil {
				t.Error(err)
			}
			if list, err := b.c.VMFolders(b.ctx, nil); err != nil || len(list) != 0 {
				t.Errorf("folders %+v, %v", list, err)
			}
		})
	}
}

// A create that is lost before it has an effect is not sent again, and says so.
func TestSim_vmFolderLostBefore(t *testing.T) {
	t.Parallel()
	b := newBench(t, "")
	b.fault(t, towersim.Fault{Operation: "create-vm-folder", Times: 1, Reset: towersim.ResetBefore})
	_, err := b.c.CreateVMFolder(b.ctx, "web", b.cluster.ID)
	var unknown *tower.AmbiguousError
	if !errors.As(err, &unknown) || unknown.Kind != "VM folder" || unknown.Name != "web" || unknown.ClusterID != b.cluster.ID || len(unknown.IDs) != 0 {
		t.Errorf("got %v", err)
	}
	if n := b.Stats().Requests["create-vm-folder"]; n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}

func TestSim_vmFolderNameTaken(t *testing.T) {
	t.Parallel()
	b := newBench(t, "")
	b.folder(t, "web")
	_, err := b.c.CreateVMFolder(b.ctx, "web", b.cluster.ID)
	var call *tower.Error
	if !errors.As(err, &call) || call.HTTPStatus != 400 || call.Message == "" {
		t.Errorf("got %v", err)
	}
}

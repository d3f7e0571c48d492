// SPDX-License-Identifier: MPL-2.0

package towersim_test

import "testing"

// edits returns the operations that edit a VM, with the VM of the fixture to
// edit. Each must give the VM's NICs and disks new ids.
func (s *fixture) edits() map[string]string {
	all := map[string]string{}

	for _, operation := range []string{
		"update-vm-basic-info", "update-vm-owner", "update-vm-host-options", "update-vm-io-policy", "add-vm-to-folder",
		"remove-vm-from-folder", "add-vm-nic", "update-vm-nic", "update-vm-nic-basic-info", "update-vm-nic-advance-info",
		"update-vm-nic-qos-option", "migrate-vm", "add-vm-disk", "expand-vm-disk", "add-vm-cd-rom",
	} {
		all[operation] = s.vm
	}

	for _, operation := range []string{
		"update-vm-advanced-options", "install-vmtools", "rollback-vm", "update-vm-disk", "eject-iso-from-vm-cd-rom",
		"toggle-vm-cd-rom-disable", "add-vm-gpu-device", "remove-vm-gpu-device",
	} {
		all[operation] = s.stopped
	}

	return all
}

func (s *fixture) partIDs(vmID string) (ids []string) {
	s.t.Helper()

	for _, n := range s.nics(vmID) {
		ids = append(ids, n.ID)
	}

	for _, d := range s.disks(vmID) {
		ids = append(ids, d.ID)
	}

	return ids
}

func TestEveryEditRenewsTheIDsOfNICsAndDisks(t *testing.T) {
	for operation := range newFixture(t).edits() {
		t.Run(operation, func(t *testing.T) {
			s := newFixture(t)
			vm, body := s.edits()[operation], s.bodies()[operation]
			before := s.partIDs(vm)
			macs := text(s.nics(vm)[0].MACAddress)

			for _, reply := range post[[]vmReply](s.tower, operation, body) {
				s.succeeded(reply.TaskID)
			}

			s.finishTasks()

			after := map[string]bool{}
			for _, id := range s.partIDs(vm) {
				after[id] = true
			}

			for _, id := range before {
				if after[id] {
					t.Errorf("the id %s is the same after %s", id, operation)
				}
			}

			// The VM shows the ids of its NICs and disks.
			row := s.tower.vm(vm)
			for _, nic := range row.VMNics {
				if !after[nic.ID] {
					t.Errorf("the VM shows the NIC %s, which does not exist", nic.ID)
				}
			}

			if len(row.VMNics)+len(row.VMDisks) != len(after) {
				t.Errorf("the VM shows %d NICs and %d disks of %d", len(row.VMNics), len(row.VMDisks), len(after))
			}

			if text(s.nics(vm)[0].MACAddress) != macs {
				t.Errorf("the first NIC is a different one: %+v", s.nics(vm))
			}
		})
	}
}

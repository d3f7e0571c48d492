// SPDX-License-Identifier: MPL-2.0

package towersim_test

import "testing"

// edits are the operations that edit a VM, with the VM of the shop that they are
// tried on. Each has to give its NICs and disks new ids.
func (s *shop) edits() map[string]string {
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

func (s *shop) partIDs(vmID string) (ids []string) {
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
	for operation := range openShop(t).edits() {
		t.Run(operation, func(t *testing.T) {
			s := openShop(t)
			vm, body := s.edits()[operation], s.bodies()[operation]
			before := s.partIDs(vm)
			macs := text(s.nics(vm)[0].MACAddress)

			for _, reply := range post[[]vmReply](s.tower, operation, body) {
				s.succeeded(reply.TaskID)
			}

			s.settle()

			after := map[string]bool{}
			for _, id := range s.partIDs(vm) {
				after[id] = true
			}

			for _, id := range before {
				if after[id] {
					t.Errorf("the id %s is the same after %s", id, operation)
				}
			}

			// The ids that the VM shows are those of its parts.
			row := s.tower.vm(vm)
			for _, nic := range row.VMNics {
				if !after[nic.ID] {
					t.Errorf("the VM shows a NIC %s that there is not", nic.ID)
				}
			}

			if len(row.VMNics)+len(row.VMDisks) != len(after) {
				t.Errorf("the VM shows %d NICs and %d disks of %d", len(row.VMNics), len(row.VMDisks), len(after))
			}

			if text(s.nics(vm)[0].MACAddress) != macs {
				t.Errorf("the first NIC is another one: %+v", s.nics(vm))
			}
		})
	}
}

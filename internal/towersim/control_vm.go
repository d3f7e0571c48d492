// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"slices"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// changeVM runs f on the VM with a name, unless it is in the recycle bin. The
// change happens behind the clients' back: without a task and without a lock.
func (s *Server) changeVM(name string, f func(w *world, v *vm) error) error {
	err := fmt.Errorf("towersim: there is no VM %q", name)

	s.withWorld(func(w *world) {
		for _, v := range w.vms.list {
			if v.row.Name == name && !v.row.InRecycleBin {
				err = f(w, v)
				w.touchVM(v)
				w.touchOthers()
				w.dirty = true

				return
			}
		}
	})

	return err
}

// DeleteVM deletes a VM for good.
func (s *Server) DeleteVM(name string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		w.removeVM(v)

		return nil
	})
}

// MoveToRecycleBin powers a VM off and moves it to the recycle bin.
func (s *Server) MoveToRecycleBin(name string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		w.moveToRecycleBin(v)

		return nil
	})
}

// PowerOffGuest makes the guest of a running VM shut itself down.
func (s *Server) PowerOffGuest(name string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		if !v.holdsMemory() {
			return fmt.Errorf("towersim: the VM %q is %s", name, v.row.Status)
		}

		w.powerOff(v)

		return nil
	})
}

// SuspendGuest puts a running VM into the state SUSPENDED, as a crash of its
// guest does.
func (s *Server) SuspendGuest(name string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		if v.row.Status != wire.VMStatusRunning {
			return fmt.Errorf("towersim: the VM %q is %s", name, v.row.Status)
		}

		w.suspend(v)

		return nil
	})
}

// HideVM hides a VM and its parts from the API for a span of simulated time, as
// happens when Tower loses touch with a cluster.
func (s *Server) HideVM(name string, d time.Duration) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		w.hideVM(v, d)

		return nil
	})
}

// SetAddresses makes Tower show the given addresses on a VM's first NICs. ""
// shows no address.
func (s *Server) SetAddresses(name string, addresses ...string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		if len(addresses) > len(v.nics) {
			return fmt.Errorf("towersim: the VM %q has %d NICs, not %d", name, len(v.nics), len(addresses))
		}

		for i, address := range addresses {
			n := v.nics[i]
			n.plugCount++ // cancels the reports of the guest run
			n.address = n.fullAddress(address)
			n.reportedAt = time.Time{}

			if address == "" {
				n.address = nicAddress{}
			} else {
				n.reportedAt = w.now
			}

			n.showAddress(n.address)
		}

		if v.guestRun != nil {
			w.toolsReported(v.guestRun)
		}

		return nil
	})
}

// SetVMTools makes Tower show a status of a VM's tools, such as NOT_RUNNING.
func (s *Server) SetVMTools(name, status string) error {
	return s.changeVM(name, func(_ *world, v *vm) error {
		v.row.VMToolsStatus = wire.VMToolsStatus(status)

		return nil
	})
}

// RenameVM gives a VM another name.
func (s *Server) RenameVM(name, to string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		v.row.Name = to
		w.refreshVM(v)

		return nil
	})
}

// MakeSystemVM makes a VM one of Tower's own system VMs.
func (s *Server) MakeSystemVM(name string) error {
	return s.changeVM(name, func(_ *world, v *vm) error {
		v.row.Internal = true

		return nil
	})
}

// MoveVM moves a VM to another host of its cluster, as the scheduler does after
// a failure.
func (s *Server) MoveVM(name, host string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		if host == "" || !w.moveVM(v, host, "") {
			return fmt.Errorf("towersim: there is no host %q", host)
		}

		return nil
	})
}

// SetHostState puts a host into one of the states that a scenario may give it,
// such as MAINTENANCE_MODE or CONNECTED_ERROR. Running VMs leave a host that
// goes into maintenance. If the connection to the host is lost, its VMs with HA
// start again on other hosts.
func (s *Server) SetHostState(host, state string) error {
	if _, known := hostStates[state]; !known {
		return fmt.Errorf("towersim: there is no host state %q", state)
	}

	err := fmt.Errorf("towersim: there is no host %q", host)

	s.withWorld(func(w *world) {
		if w.setHostState(host, state) {
			err = nil
		}
	})

	return err
}

// ReverseNICs reverses the order in which a VM's NICs are listed and gives them
// new ids, as Tower may do after a synchronisation.
func (s *Server) ReverseNICs(name string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		slices.Reverse(v.nics)
		w.renewPartIDs(v)

		return nil
	})
}

// DropTasks deletes the records of all tasks. The work of the tasks goes on.
func (s *Server) DropTasks() {
	s.withWorld(func(w *world) { w.tasks.clear() })
}

// RevokeSessions makes the tokens of all log-ins invalid.
func (s *Server) RevokeSessions() {
	s.withWorld(func(*world) { clear(s.sessions) })
}

// VMOwner returns the name of the user who owns a VM, "" if it has no owner.
// The API does not show the owner.
func (s *Server) VMOwner(name string) (string, error) {
	owner := ""

	err := s.changeVM(name, func(_ *world, v *vm) error {
		if v.owner != nil {
			owner = v.owner.row.Username
		}

		return nil
	})

	return owner, err
}

// DuplicateVM makes a second, stopped VM appear with the name and the hardware
// of a VM, as happens when a cluster finishes a creation that Tower has given
// up. It returns the id of the new VM.
func (s *Server) DuplicateVM(name string) (string, error) {
	var id string

	err := s.changeVM(name, func(w *world, v *vm) error {
		duplicate, failed := w.duplicateVM(v)
		if failed != nil {
			return fmt.Errorf("towersim: the VM %q cannot be duplicated: %s", name, failed.message)
		}

		id = duplicate.row.ID

		return nil
	})

	return id, err
}

// ChangeVMID gives a VM another id, as Tower does when it loses its record of a
// VM and finds the VM again. The local id stays the same. ChangeVMID returns
// the new id.
func (s *Server) ChangeVMID(name string) (string, error) {
	var id string

	err := s.changeVM(name, func(w *world, v *vm) error {
		w.changeVMID(v)

		id = v.row.ID

		return nil
	})

	return id, err
}

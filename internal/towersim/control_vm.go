// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"slices"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// onVM runs f on the VM of a name that is not in the recycle bin, as somebody
// does who changes it behind a client's back: without a task and without a lock.
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

// DeleteVM removes a VM for good.
func (s *Server) DeleteVM(name string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		w.removeVM(v)

		return nil
	})
}

// MoveToRecycleBin puts a VM into the recycle bin, powered off.
func (s *Server) MoveToRecycleBin(name string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		w.moveToRecycleBin(v)

		return nil
	})
}

// PowerOffGuest lets the guest of a running VM switch itself off.
func (s *Server) PowerOffGuest(name string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		if !v.holdsMemory() {
			return fmt.Errorf("towersim: the VM %q is %s", name, v.row.Status)
		}

		w.powerOff(v)

		return nil
	})
}

// SuspendGuest lets a running VM fall into SUSPENDED, as one does whose guest
// crashed.
func (s *Server) SuspendGuest(name string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		if v.row.Status != wire.VMStatusRunning {
			return fmt.Errorf("towersim: the VM %q is %s", name, v.row.Status)
		}

		w.suspend(v)

		return nil
	})
}

// HideVM makes the API show neither the VM nor its parts for a simulated span,
// as happens when Tower loses touch with a cluster.
func (s *Server) HideVM(name string, d time.Duration) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		w.hideVM(v, d)

		return nil
	})
}

// SetAddresses makes Tower show an address on each of a VM's first NICs; "" shows
// none.
func (s *Server) SetAddresses(name string, addresses ...string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		if len(addresses) > len(v.nics) {
			return fmt.Errorf("towersim: the VM %q has %d NICs, not %d", name, len(v.nics), len(addresses))
		}

		for i, address := range addresses {
			n := v.nics[i]
			n.plugCount++ // what the guest's story would report is overruled
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

// SetVMTools makes Tower show a state of a VM's tools, such as NOT_RUNNING.
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

// MakeSystemVM makes a VM one of Tower's own.
func (s *Server) MakeSystemVM(name string) error {
	return s.changeVM(name, func(_ *world, v *vm) error {
		v.row.Internal = true

		return nil
	})
}

// MoveVM takes a VM to another host of its cluster, as the scheduler does after
// a failure.
func (s *Server) MoveVM(name, host string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		if host == "" || !w.moveVM(v, host, "") {
			return fmt.Errorf("towersim: there is no host %q", host)
		}

		return nil
	})
}

// SetHostState takes a host into a state that an inventory may name, such as
// MAINTENANCE_MODE or CONNECTED_ERROR. From a host under maintenance the running
// VMs move away; where the connection is lost, those with HA start again
// elsewhere.
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

// ReverseNICs lists a VM's NICs in the opposite order, under new ids, as Tower
// may after a synchronisation.
func (s *Server) ReverseNICs(name string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		slices.Reverse(v.nics)
		w.renewPartIDs(v)

		return nil
	})
}

// DropTasks makes Tower lose its records of all tasks. The work goes on.
func (s *Server) DropTasks() {
	s.withWorld(func(w *world) { w.tasks.clear() })
}

// RevokeSessions makes all tokens invalid that were given at a log-in.
func (s *Server) RevokeSessions() {
	s.withWorld(func(*world) { clear(s.sessions) })
}

// VMOwner returns the name of the user who owns a VM, "" where nobody was named.
// The API does not show it.
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

// DuplicateVM lets a second VM of the same name and hardware appear, stopped, as
// happens when a cluster finishes a creation that Tower had given up. It returns
// the id of the new one.
func (s *Server) DuplicateVM(name string) (string, error) {
	var id string

	err := s.changeVM(name, func(w *world, v *vm) error {
		twin, failed := w.duplicateVM(v)
		if failed != nil {
			return fmt.Errorf("towersim: the VM %q cannot be duplicated: %s", name, failed.message)
		}

		id = twin.row.ID

		return nil
	})

	return id, err
}

// ChangeVMID gives a VM another id, as Tower does when it loses its record of a
// VM and finds the VM again. The local id stays. It returns the new id.
func (s *Server) ChangeVMID(name string) (string, error) {
	var id string

	err := s.changeVM(name, func(w *world, v *vm) error {
		w.changeVMID(v)

		id = v.row.ID

		return nil
	})

	return id, err
}

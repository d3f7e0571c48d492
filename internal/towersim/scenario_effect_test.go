// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"fmt"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// TestEveryKeyOfTheInventoryShows gives each key a value that is not its
// default and looks for it in the replies of the API.
func TestEveryKeyOfTheInventoryShows(t *testing.T) {
	x := start(t, `
inventory:
  clusters:
    - name: one
      hosts: [{name: h9, memory_gib: 64, cores: 16, state: MAINTENANCE_MODE}, {name: h8}]
      storage_tib: 2.5
      vlans: [{name: net, dhcp: 192.168.7.0/24, vlan_id: 33}, {name: mute}]
      gpus: [{host: 1, model: T4, usage: VGPU}]
      isos: [a.iso, b.iso]
    - {name: two, hosts: 2}
  content_library_vm_templates:
    - {name: lib, num_cpus: 3, memory_mib: 512, disk_gib: 7, cloud_init: false, firmware: UEFI, nics: [mute, net]}
  vm_templates:
    - {name: old, num_cpus: 5, memory_mib: 768, disk_gib: 9, cloud_init: false, firmware: UEFI, nics: [mute], cluster: one}
  vms:
    - {name: v, cluster: one, num_cpus: 6, memory_mib: 2048, nics: [net, mute], power: STOPPED}
    - {name: w, cluster: two}
  users: [{username: sue, password: p, source: LOCAL, api_key: k}]`)

	wantStrings(t, "clusters", shownBy(x, "get-clusters", func(c wire.Cluster) string {
		return fmt.Sprintf("%s %d %d %d", c.Name, *c.HostNum, *c.ValidDataSpace>>30, *c.VMNum)
	}), []string{"one 2 2560 1", "two 2 102400 1"})

	wantStrings(t, "hosts", shownBy(x, "get-hosts", func(h wire.Host) string {
		return fmt.Sprintf("%s %s %d %d %s", h.Cluster.Name, h.Name, h.TotalMemoryBytes>>30, h.TotalCPUCores, h.HostState.State)
	}), []string{
		"one h8 1024 128 IN_USE", "one h9 64 16 MAINTENANCE_MODE", "two two-host-1 1024 128 IN_USE", "two two-host-2 1024 128 IN_USE",
	})

	wantStrings(t, "networks", shownBy(x, "get-vlans", func(v wire.Vlan) string {
		return fmt.Sprintf("%s %d", v.Name, v.VlanID)
	})[2:], []string{"mute 0", "net 33"})

	wantStrings(t, "GPU devices", shownBy(x, "get-gpu-devices", func(g wire.GPUDevice) string {
		return fmt.Sprintf("%s %s %s", g.Host.Name, g.Model, *g.UserUsage)
	}), []string{"h8 T4 VGPU"})

	wantStrings(t, "ISO images", shownBy(x, "get-elf-images", func(i wire.ElfImage) string {
		return i.Cluster.Name + " " + i.Name
	}), []string{"one a.iso", "one b.iso", "two rocky-8.iso"})

	wantStrings(t, "library templates", shownBy(x, "get-content-library-vm-templates", func(t wire.ContentLibraryVMTemplate) string {
		return fmt.Sprintf("%s %d %d %d %t %s %s %s %d", t.Name, t.VCPU, t.Memory>>20, t.Size>>30, t.CloudInitSupported, *t.Firmware,
			t.VMNics[0].Vlan.Name, t.VMNics[1].Vlan.Name, len(t.Clusters))
	}), []string{"lib 3 512 7 false UEFI mute net 2"})

	wantStrings(t, "templates", shownBy(x, "get-vm-templates", func(t wire.VMTemplate) string {
		return fmt.Sprintf("%s %s %d %d %d %t %s %d", t.Name, t.Cluster.Name, t.VCPU, t.Memory>>20, t.Size>>30, t.CloudInitSupported,
			t.Firmware, len(t.VMNics))
	})[2:], []string{"old one 5 768 9 false UEFI 1"})

	wantStrings(t, "VMs", shownBy(x, "get-vms", func(v wire.VM) string {
		return fmt.Sprintf("%s %s %d %d %d %s", v.Name, v.Cluster.Name, v.VCPU, v.Memory>>20, len(v.VMNics), v.Status)
	}), []string{"v one 6 2048 2 STOPPED", "w two 1 1024 1 RUNNING"})

	wantStrings(t, "users", shownBy(x, "get-users", func(u wire.User) string {
		return fmt.Sprintf("%s %s", u.Username, u.Source)
	}), []string{"sue LOCAL"})

	id := x.idOf("get-vms", "v")
	x.mustOperate("start-vm", id)
	x.Advance(100 * second)
	wantStrings(t, "addresses", x.addresses(id), []string{"192.168.7.2", ""})
}

// shownBy lists rows, by name if they have one, and writes each as a line.
func shownBy[T any](x *tower, operation string, line func(T) string) (lines []string) {
	x.t.Helper()

	order := "name_ASC"
	if operation == "get-users" {
		order = "username_ASC"
	}

	for _, r := range post[[]T](x, operation, object{"orderBy": order}) {
		lines = append(lines, line(r))
	}

	return lines
}

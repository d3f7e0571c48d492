// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// hostStates maps the states that a scenario may give a host to the host's
// maintenance state and connection status.
var hostStates = map[string]struct{ maintenance, status string }{
	"IN_USE":                    {"IN_USE", "CONNECTED_HEALTHY"},
	"ENTERING_MAINTENANCE_MODE": {"ENTERING_MAINTENANCE_MODE", "CONNECTED_HEALTHY"},
	"MAINTENANCE_MODE":          {"MAINTENANCE_MODE", "CONNECTED_HEALTHY"},
	"REMOVING":                  {"REMOVING", "CONNECTED_HEALTHY"},
	"CONNECTED_WARNING":         {"IN_USE", "CONNECTED_WARNING"},
	"CONNECTED_ERROR":           {"IN_USE", "CONNECTED_ERROR"},
	"CONNECTING":                {"IN_USE", "CONNECTING"},
	"INITIALIZING":              {"IN_USE", "INITIALIZING"},
	"SESSION_EXPIRED":           {"IN_USE", "SESSION_EXPIRED"},
}

// ParseScenario reads a scenario from YAML or JSON. Omitted keys have their
// defaults, unknown keys are errors. An invalid scenario gives a
// [*ScenarioError].
func ParseScenario(document []byte) (*Scenario, error) {
	s := DefaultScenario()

	d, err := decodeDocument(document, "", s)
	if err != nil {
		return nil, err
	}

	if err := s.complete(); err != nil {
		return nil, d.addLine(err)
	}

	return s, nil
}

// parseFaults reads a list of faults from YAML or JSON.
func parseFaults(document []byte, in *Inventory) ([]Fault, error) {
	var faults []Fault

	d, err := decodeDocument(document, "faults", &faults)
	if err != nil {
		return nil, err
	}

	faults, err = in.completeFaults(faults)
	if err != nil {
		return nil, d.addLine(err)
	}

	return faults, nil
}

// addLine adds the line of the field, or of the nearest field around it, to an
// error.
func (d *decoder) addLine(err error) error {
	var scenarioErr *ScenarioError
	if !errors.As(err, &scenarioErr) {
		return err
	}

	for path := scenarioErr.Field; path != ""; {
		if line, ok := d.lines[path]; ok {
			scenarioErr.Line = line

			break
		}

		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}

	return err
}

func invalid(field, format string, args ...any) error {
	return &ScenarioError{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// complete fills in the names that may be omitted, and checks the whole
// scenario.
func (s *Scenario) complete() error {
	version, err := parseVersion(s.Version)
	if err != nil {
		return invalid("version", "%s", err)
	}

	s.Version = version.String()

	if len(s.Inventory.Users) == 0 {
		s.Inventory.Users = DefaultScenario().Inventory.Users
	}

	for _, check := range []func() error{
		s.Inventory.completeClusters, s.Inventory.completeTemplates, s.Inventory.checkUsers, s.Timing.check, s.checkGuests,
	} {
		if err := check(); err != nil {
			return err
		}
	}

	if err := s.Inventory.completeVMs(s.UniqueVMNames); err != nil {
		return err
	}

	s.Faults, err = s.Inventory.completeFaults(s.Faults)

	return err
}

func (i *Inventory) completeFaults(faults []Fault) ([]Fault, error) {
	completed := make([]Fault, len(faults))

	for n, fault := range faults {
		completed[n] = fault.normalised()

		field, reason := completed[n].check()
		if reason == "" {
			field, reason = i.checkPlaces(&completed[n])
		}

		if reason != "" {
			return nil, invalid(strings.TrimSuffix(fmt.Sprintf("faults[%d].%s", n, field), "."), "%s", reason)
		}
	}

	return completed, nil
}

// checkPlaces refuses a host or a cluster that does not exist. No operation
// creates one with a name of the client's choice.
func (i *Inventory) checkPlaces(f *Fault) (field, reason string) {
	isCluster := func(c ClusterSpec) bool { return c.Name == f.Cluster }
	hasHost := func(c ClusterSpec) bool {
		return slices.ContainsFunc(c.Hosts, func(h HostSpec) bool { return h.Name == f.Host })
	}

	switch {
	case f.Cluster != "" && !slices.ContainsFunc(i.Clusters, isCluster):
		return "cluster", fmt.Sprintf("there is no cluster %q", f.Cluster)
	case f.Host != "" && !slices.ContainsFunc(i.Clusters, hasHost):
		return "host", fmt.Sprintf("there is no host %q", f.Host)
	}

	return "", ""
}

// checkUnique refuses a name that was used before.
func checkUnique(seen map[string]bool, field, name string) error {
	if name == "" {
		return invalid(field, "is required")
	}

	if seen[name] {
		return invalid(field, "%q is used twice", name)
	}

	seen[name] = true

	return nil
}

func (i *Inventory) completeClusters() error {
	names := map[string]bool{}

	for c := range i.Clusters {
		cluster, field := &i.Clusters[c], fmt.Sprintf("inventory.clusters[%d]", c)

		if err := checkUnique(names, field+".name", cluster.Name); err != nil {
			return err
		}

		if err := checkRange(field+".storage_tib", cluster.StorageTiB, maxTiB); err != nil {
			return err
		}

		for _, check := range []func(string) error{
			cluster.completeHosts, cluster.checkVLANs, cluster.checkGPUs, cluster.checkISOs,
		} {
			if err := check(field); err != nil {
				return err
			}
		}
	}

	return nil
}

func (c *ClusterSpec) completeHosts(parent string) error {
	names := map[string]bool{}

	for i := range c.Hosts {
		host, field := &c.Hosts[i], fmt.Sprintf("%s.hosts[%d]", parent, i)
		if host.Name == "" {
			host.Name = fmt.Sprintf("%s-host-%d", c.Name, i+1)
		}

		if err := checkUnique(names, field+".name", host.Name); err != nil {
			return err
		}

		if err := checkRange(field+".memory_gib", host.MemoryGiB, maxGiB); err != nil {
			return err
		}

		if err := checkRange(field+".cores", host.Cores, maxVCPU); err != nil {
			return err
		}

		if _, known := hostStates[host.State]; !known {
			return invalid(field+".state", "must be one of %s, not %q", strings.Join(sortedKeys(hostStates), ", "), host.State)
		}
	}

	return nil
}

func (c *ClusterSpec) checkVLANs(parent string) error {
	names := map[string]bool{}

	for i, vlan := range c.VLANs {
		field := fmt.Sprintf("%s.vlans[%d]", parent, i)

		if err := checkUnique(names, field+".name", vlan.Name); err != nil {
			return err
		}

		if vlan.VLANID < 0 || vlan.VLANID > 4094 {
			return invalid(field+".vlan_id", "must be 0 to 4094, not %d", vlan.VLANID)
		}

		if vlan.DHCP == "" {
			continue
		}

		prefix, err := netip.ParsePrefix(vlan.DHCP)
		if err != nil || !prefix.Addr().Is4() {
			return invalid(field+".dhcp", "must be an IPv4 range such as 10.255.0.0/16, not %q", vlan.DHCP)
		}

		if prefix.Bits() > 30 {
			return invalid(field+".dhcp", "%s has no room for a gateway and a guest", vlan.DHCP)
		}
	}

	return nil
}

func (c *ClusterSpec) checkGPUs(parent string) error {
	for i, gpu := range c.GPUs {
		field := fmt.Sprintf("%s.gpus[%d]", parent, i)

		if gpu.Host < 0 || gpu.Host >= len(c.Hosts) {
			return invalid(field+".host", "the cluster has no host %d; the first is 0", gpu.Host)
		}

		if gpu.Usage != "PASS_THROUGH" && gpu.Usage != "VGPU" {
			return invalid(field+".usage", "must be PASS_THROUGH or VGPU, not %q", gpu.Usage)
		}
	}

	return nil
}

func (c *ClusterSpec) checkISOs(parent string) error {
	names := map[string]bool{}

	for i, iso := range c.ISOs {
		if err := checkUnique(names, fmt.Sprintf("%s.isos[%d]", parent, i), iso); err != nil {
			return err
		}
	}

	return nil
}

// cluster returns the cluster with a name; an empty name means the first
// cluster.
func (i *Inventory) cluster(name, field string) (*ClusterSpec, error) {
	for c := range i.Clusters {
		if name == "" || i.Clusters[c].Name == name {
			return &i.Clusters[c], nil
		}
	}

	if name == "" {
		return nil, invalid(field, "there is no cluster")
	}

	return nil, invalid(field, "there is no cluster %q", name)
}

func (c *ClusterSpec) hasVLAN(name string) bool {
	return slices.ContainsFunc(c.VLANs, func(vlan VLANSpec) bool { return vlan.Name == name })
}

func (i *Inventory) completeTemplates() error {
	names := map[string]bool{}

	for t := range i.ContentLibraryVMTemplates {
		template, field := &i.ContentLibraryVMTemplates[t], fmt.Sprintf("inventory.content_library_vm_templates[%d]", t)

		if err := checkUnique(names, field+".name", template.Name); err != nil {
			return err
		}

		if template.Cluster != "" {
			return invalid(field+".cluster", "a template of the content library is in every cluster")
		}

		for n, nic := range template.NICs {
			if !slices.ContainsFunc(i.Clusters, func(c ClusterSpec) bool { return c.hasVLAN(nic) }) {
				return invalid(fmt.Sprintf("%s.nics[%d]", field, n), "no cluster has a VM network %q", nic)
			}
		}

		if err := template.check(field); err != nil {
			return err
		}
	}

	names = map[string]bool{}

	for t := range i.VMTemplates {
		template, field := &i.VMTemplates[t], fmt.Sprintf("inventory.vm_templates[%d]", t)

		cluster, err := i.cluster(template.Cluster, field+".cluster")
		if err != nil {
			return err
		}

		template.Cluster = cluster.Name

		if err := checkUnique(names, field+".name", template.Name); err != nil {
			return err
		}

		if err := cluster.checkNICs(field, template.NICs); err != nil {
			return err
		}

		if err := template.check(field); err != nil {
			return err
		}
	}

	return nil
}

func (c *ClusterSpec) checkNICs(parent string, nics []string) error {
	for n, nic := range nics {
		if !c.hasVLAN(nic) {
			return invalid(fmt.Sprintf("%s.nics[%d]", parent, n), "cluster %q has no VM network %q", c.Name, nic)
		}
	}

	return nil
}

// The largest sizes in an inventory. With larger ones, the numbers of bytes or
// their sums would overflow.
const (
	maxTiB = 100_000
	maxGiB = 1 << 20
	maxMiB = maxGiB << 10
)

// checkRange refuses a number that is not more than 0 or is too large.
func checkRange[T int | float64](field string, n, most T) error {
	switch {
	case !(n > 0): // also refuses NaN
		return invalid(field, "must be more than 0")
	case n > most:
		return invalid(field, "must not be more than %v", most)
	}

	return nil
}

func (t *TemplateSpec) check(field string) error {
	if err := checkRange(field+".num_cpus", t.NumCPUs, maxVCPU); err != nil {
		return err
	}

	if err := checkRange(field+".memory_mib", t.MemoryMiB, maxMiB); err != nil {
		return err
	}

	switch {
	case t.DiskGiB < 0:
		return invalid(field+".disk_gib", "must not be negative")
	case t.DiskGiB > maxGiB:
		return invalid(field+".disk_gib", "must not be more than %d", maxGiB)
	case t.Firmware != "BIOS" && t.Firmware != "UEFI":
		return invalid(field+".firmware", "must be BIOS or UEFI, not %q", t.Firmware)
	}

	return nil
}

func (i *Inventory) completeVMs(uniqueNames bool) error {
	names := map[string]bool{}

	for v := range i.VMs {
		vm, field := &i.VMs[v], fmt.Sprintf("inventory.vms[%d]", v)

		cluster, err := i.cluster(vm.Cluster, field+".cluster")
		if err != nil {
			return err
		}

		vm.Cluster = cluster.Name

		if vm.Name == "" {
			return invalid(field+".name", "is required")
		}

		if key := vm.Cluster + "/" + vm.Name; uniqueNames {
			if names[key] {
				return invalid(field+".name", "%q is used twice", vm.Name)
			}

			names[key] = true
		}

		if vm.NICs == nil && len(cluster.VLANs) > 0 {
			vm.NICs = []string{cluster.VLANs[0].Name}
		}

		if err := cluster.checkNICs(field, vm.NICs); err != nil {
			return err
		}

		if err := checkRange(field+".num_cpus", vm.NumCPUs, maxVCPU); err != nil {
			return err
		}

		if err := checkRange(field+".memory_mib", vm.MemoryMiB, maxMiB); err != nil {
			return err
		}

		if vm.Power != "RUNNING" && vm.Power != "STOPPED" {
			return invalid(field+".power", "must be RUNNING or STOPPED, not %q", vm.Power)
		}
	}

	return nil
}

func (i *Inventory) checkUsers() error {
	names := map[string]bool{}

	for u, user := range i.Users {
		field := fmt.Sprintf("inventory.users[%d]", u)

		if err := checkUnique(names, field+".username", user.Username); err != nil {
			return err
		}

		if user.Password == "" {
			return invalid(field+".password", "is required")
		}

		if !slices.Contains([]string{"LOCAL", "LDAP", "AUTHN", "SSO"}, user.Source) {
			return invalid(field+".source", "must be LOCAL, LDAP, AUTHN or SSO, not %q", user.Source)
		}
	}

	return nil
}

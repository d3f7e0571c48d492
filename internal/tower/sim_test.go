// SPDX-License-Identifier: MPL-2.0

package tower_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// bench is a simulated Tower with a client, and what the default scenario holds.
type bench struct {
	*towersim.Server
	c        *tower.Client
	ctx      context.Context
	cluster  tower.Cluster
	vlan     tower.VLAN
	template tower.ContentLibraryVMTemplate
}

// newBench starts a simulator that runs a hundred times as fast as reality.
func newBench(t *testing.T, scenario string) *bench {
	t.Helper()
	sim, err := towersim.New(towersim.Options{YAML: []byte(scenario), Speed: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	b := &bench{Server: sim, ctx: ctx, c: newClient(t, sim, nil)}
	clusters, err := b.c.Clusters(ctx, tower.Where{"name": "cluster-1"})
	if err != nil || len(clusters) != 1 {
		t.Fatalf("clusters: %+v, %v", clusters, err)
	}
	vlans, err := b.c.VLANs(ctx, tower.Where{"name": "default", "vds": tower.Where{"cluster": tower.AnyID(clusters[0].ID)}})
	if err != nil || len(vlans) != 1 {
		t.Fatalf("VLANs: %+v, %v", vlans, err)
	}
	templates, err := b.c.ContentLibraryVMTemplates(ctx, tower.Where{"name": "rocky-8", "clusters_some": tower.AnyID(clusters[0].ID)})
	if err != nil || len(templates) != 1 {
		t.Fatalf("templates: %+v, %v", templates, err)
	}
	b.cluster, b.vlan, b.template = clusters[0], vlans[0], templates[0]
	return b
}

// newClient returns a client of a simulator.
func newClient(t *testing.T, sim *towersim.Server, change func(*tower.Config)) *tower.Client {
	t.Helper()
	cfg := tower.Config{Server: sim.URL(), Username: sim.Username(), Password: sim.Password(), MaxRetries: 3, PollInterval: 50 * time.Millisecond}
	if change != nil {
		change(&cfg)
	}
	c, err := tower.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// wanted describes a VM with one NIC.
func (b *bench) wanted(name string) tower.VMCreate {
	return tower.VMCreate{
		Name: name, ClusterID: b.cluster.ID, ContentLibraryVMTemplateID: b.template.ID, Running: true,
		NICs:      []tower.NICCreate{{VLANID: b.vlan.ID}},
		CloudInit: &tower.CloudInit{Hostname: name, Networks: []tower.CloudInitNetwork{{NICIndex: 0, Type: "IPV4_DHCP"}}},
	}
}

// create makes a VM.
func (b *bench) create(t *testing.T, in tower.VMCreate) *tower.VM {
	t.Helper()
	cr, err := b.c.CreateVM(b.ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	v, err := cr.Wait(b.ctx)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// fault lets requests go wrong.
func (b *bench) fault(t *testing.T, faults ...towersim.Fault) {
	t.Helper()
	if err := b.InjectFaults(faults...); err != nil {
		t.Fatal(err)
	}
}

// hasAddress ends a watch when the VM's first NIC has an address.
func hasAddress(obs tower.VMObservation, err error) bool {
	return err == nil && len(obs.NICs) > 0 && len(obs.NICs[0].IPAddresses) > 0
}

func TestSim_lifecycle(t *testing.T) {
	t.Parallel()
	b := newBench(t, "")
	v := b.create(t, b.wanted("vm"))
	if !v.HasRealLocalID() || v.Status != tower.StatusRunning || v.ClusterID != b.cluster.ID || v.EntityAsyncStatus != "" {
		t.Errorf("created %+v", v)
	}
	if err := b.c.WatchVM(b.ctx, v.ID, hasAddress); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{v.ID, v.LocalID} {
		if again, err := b.c.VM(b.ctx, id); err != nil || again.ID != v.ID {
			t.Errorf("by %q: %+v, %v", id, again, err)
		}
	}
	if again, err := b.c.VMByName(b.ctx, b.cluster.ID, "vm"); err != nil || again.ID != v.ID {
		t.Errorf("by name: %+v, %v", again, err)
	}
	nics, err := b.c.VMNICs(b.ctx, v.ID)
	if err != nil || len(nics) != 1 || nics[0].VLANID != b.vlan.ID || nics[0].MAC == "" || len(nics[0].IPAddresses) != 1 {
		t.Errorf("NICs %+v, %v", nics, err)
	}
	if host, err := b.c.Host(b.ctx, v.HostID); err != nil || host.ClusterID != b.cluster.ID {
		t.Errorf("host %+v, %v", host, err)
	}
	name := "renamed"
	cores, memory := 4, int64(8<<30)
	if err := b.c.UpdateVM(b.ctx, v.ID, tower.VMUpdate{Name: &name, CPUCores: &cores, MemoryBytes: &memory}); err != nil {
		t.Error(err)
	}
	if again, err := b.c.VM(b.ctx, v.ID); err != nil || again.Name != name || again.CPUCores != cores || again.MemoryBytes != memory {
		t.Errorf("after the update: %+v, %v", again, err)
	}
	if err := b.c.SuspendVM(b.ctx, v.ID); err != nil {
		t.Error(err)
	}
	if err := b.c.StartVM(b.ctx, v.ID, ""); err != nil {
		t.Error(err)
	}
	if err := b.c.StopVM(b.ctx, v.ID, tower.StopOptions{Graceful: time.Minute}); err != nil {
		t.Error(err)
	}
	if err := b.c.StartVM(b.ctx, v.ID, v.HostID); err != nil {
		t.Error(err)
	}
	if err := b.c.StopVM(b.ctx, v.ID, tower.StopOptions{Force: true}); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := b.c.DeleteVM(b.ctx, v.ID); err != nil {
			t.Error(err)
		}
	}
	if _, err := b.c.VM(b.ctx, v.ID); !errors.Is(err, tower.ErrNotFound) {
		t.Errorf("the VM is still there: %v", err)
	}
	if n := b.Stats().Requests["delete-vm"]; n != 1 {
		t.Errorf("%d deletes, want 1", n)
	}
}

func TestSim_recycleBin(t *testing.T) {
	t.Parallel()
	b := newBench(t, "")
	v := b.create(t, b.wanted("vm"))
	if err := b.c.StopVM(b.ctx, v.ID, tower.StopOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	if err := b.c.MoveVMToRecycleBin(b.ctx, v.ID); err != nil {
		t.Fatal(err)
	}
	if again, err := b.c.VM(b.ctx, v.ID); err != nil || !again.InRecycleBin {
		t.Errorf("got %+v, %v", again, err)
	}
	if _, err := b.c.VMByName(b.ctx, b.cluster.ID, "vm"); !errors.Is(err, tower.ErrNotFound) {
		t.Errorf("the name is still taken: %v", err)
	}
}

func TestSim_guestIgnoresShutdown(t *testing.T) {
	t.Parallel()
	b := newBench(t, `guests: [{match: "*", acpi: false}]`)
	v := b.create(t, b.wanted("vm"))
	err := b.c.StopVM(b.ctx, v.ID, tower.StopOptions{Graceful: time.Minute})
	var failed *tower.TaskError
	if !errors.As(err, &failed) || failed.Code != "JOB_VM_SHUTDOWN_TIMEOUT" || tower.Advice(err) == "" {
		t.Errorf("got %v", err)
	}
	if err := b.c.StopVM(b.ctx, v.ID, tower.StopOptions{Graceful: time.Minute, Force: true}); err != nil {
		t.Error(err)
	}
	if again, err := b.c.VM(b.ctx, v.ID); err != nil || again.Status != tower.StatusStopped {
		t.Errorf("got %+v, %v", again, err)
	}
}

// A hundred VMs: requests for each VM over create, wait and the reads after it, and the looks while they wait.
func TestSim_budget(t *testing.T) {
	const n = 100
	b := newBench(t, "")
	b.c = newClient(t, b.Server, func(c *tower.Config) { c.PollInterval = 200 * time.Millisecond })
	if err := b.c.Login(b.ctx); err != nil {
		t.Fatal(err)
	}
	before := b.Stats()
	var all sync.WaitGroup
	start := time.Now()
	for i := range n {
		all.Go(func() {
			name := fmt.Sprintf("vm-%d", i)
			if _, err := b.c.VMByName(b.ctx, b.cluster.ID, name); !errors.Is(err, tower.ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
			cr, err := b.c.CreateVM(b.ctx, b.wanted(name))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			v, err := cr.Wait(b.ctx)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			if err := b.c.WatchVM(b.ctx, v.ID, hasAddress); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := b.c.VM(b.ctx, v.ID); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := b.c.VMNICs(b.ctx, v.ID); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	all.Wait()
	took := time.Since(start)
	after := b.Stats()
	if total := after.Total - before.Total; total > 6*n {
		t.Errorf("%d requests for %d VMs: %v", total, n, after.Requests)
	}
	if created := after.Requests["create-vm-from-content-library-template"]; created != n {
		t.Errorf("%d creates for %d VMs", created, n)
	}
	// The reads at the end come on top of the looks: one request for each window at most.
	looks := int(took/(200*time.Millisecond)) + 2
	if got, most := after.Requests["get-vm-nics"], looks+int(took/(100*time.Millisecond))+1; got > most {
		t.Errorf("%d get-vm-nics in %s, want %d at most", got, took, most)
	}
}

// While VMs wait, Tower is asked for their NICs once in each interval, however many they are.
func TestSim_looksDoNotGrow(t *testing.T) {
	const n = 100
	b := newBench(t, "timing: {task: 0s, vmtools_sync: 200s}")
	b.c = newClient(t, b.Server, func(c *tower.Config) { c.PollInterval = 200 * time.Millisecond })
	vms := make([]string, n)
	var all sync.WaitGroup
	for i := range vms {
		all.Go(func() { vms[i] = b.create(t, b.wanted(fmt.Sprintf("vm-%d", i))).ID })
	}
	all.Wait()
	before, start := b.Stats().Requests["get-vm-nics"], time.Now()
	for _, id := range vms {
		all.Go(func() {
			if err := b.c.WatchVM(b.ctx, id, hasAddress); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got, most := b.Stats().Requests["get-vm-nics"]-before, int(time.Since(start)/(200*time.Millisecond))+1
	if got > most || got < 2 {
		t.Errorf("%d get-vm-nics in %s, want %d at most", got, time.Since(start), most)
	}
}

func TestSim_taskErrors(t *testing.T) {
	t.Parallel()
	b := newBench(t, "")
	b.fault(t, towersim.Fault{
		Operation: "create-vm-from-content-library-template", Times: 1,
		TaskError: &towersim.TaskError{Code: "VM_CLOUD_INIT_CONFIG_ERROR", Message: "The gateway is unreachable."},
	})
	cr, err := b.c.CreateVM(b.ctx, b.wanted("vm"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = cr.Wait(b.ctx)
	var failed *tower.TaskError
	if !errors.As(err, &failed) || failed.Code != "VM_CLOUD_INIT_CONFIG_ERROR" || !strings.Contains(failed.Message, "unreachable") || failed.RequestID == "" {
		t.Fatalf("got %#v", err)
	}
	if !strings.Contains(tower.Advice(err), "cloud-init") {
		t.Errorf("the advice is %q", tower.Advice(err))
	}
	if _, err := b.c.VM(b.ctx, cr.ID); !errors.Is(err, tower.ErrNotFound) {
		t.Errorf("the failed VM is still there: %v", err)
	}
}

// Every class of error, as the simulator makes it.
func TestSim_faults(t *testing.T) {
	t.Parallel()
	const create, start, read = "create-vm-from-content-library-template", "start-vm", "get-vms"
	for _, tc := range []struct {
		name   string
		faults []towersim.Fault
		max    map[string]int // most calls of an operation
	}{
		{"reads fail", []towersim.Fault{{Operation: read, Times: 2, Status: 500}, {Operation: "get-tasks", Times: 2, Status: 503}}, map[string]int{create: 1}},
		{"reads break", []towersim.Fault{{Operation: read, Times: 2, Reset: towersim.ResetBefore}, {Operation: "get-tasks", Times: 2, Reset: towersim.ResetAfter}}, map[string]int{create: 1}},
		{"pages in place of answers", []towersim.Fault{{Operation: read, Times: 2, Body: towersim.BodyHTML}, {Operation: "get-tasks", Times: 2, Body: towersim.BodyGarbage}}, map[string]int{create: 1}},
		{"cut answers", []towersim.Fault{{Operation: read, Times: 2, Body: towersim.BodyTruncated}, {Operation: "get-tasks", Times: 2, Body: towersim.BodyTruncated}}, map[string]int{create: 1}},
		{"session over", []towersim.Fault{{Operation: create, Times: 1, Status: 401}, {Operation: read, Times: 1, Status: 401}, {Operation: start, Times: 1, Status: 401}}, map[string]int{create: 2, start: 2}},
		{"too many requests", []towersim.Fault{{Operation: create, Times: 1, Status: 429}, {Operation: start, Times: 1, Status: 429}}, map[string]int{create: 2, start: 2}},
		{"create lost after", []towersim.Fault{{Operation: create, Times: 1, Reset: towersim.ResetAfter}}, map[string]int{create: 1}},
		{"create's reply cut", []towersim.Fault{{Operation: create, Times: 1, Body: towersim.BodyTruncated}}, map[string]int{create: 1}},
		{"start lost before", []towersim.Fault{{Operation: start, Times: 1, Reset: towersim.ResetBefore}}, map[string]int{start: 2}},
		{"start lost after", []towersim.Fault{{Operation: start, Times: 1, Reset: towersim.ResetAfter}}, map[string]int{start: 1}},
		{"start stumbles", []towersim.Fault{{Operation: start, Times: 1, Status: 500}}, map[string]int{start: 2}},
		{"locked", []towersim.Fault{{Operation: start, LockedFor: towersim.Delay(20 * time.Second)}, {Operation: create, LockedFor: towersim.Delay(5 * time.Second)}}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "")
			b.fault(t, tc.faults...)
			in := b.wanted("vm")
			in.Running = false
			v := b.create(t, in)
			if err := b.c.StartVM(b.ctx, v.ID, ""); err != nil {
				t.Error(err)
			}
			if again, err := b.c.VM(b.ctx, v.ID); err != nil || again.Status != tower.StatusRunning {
				t.Errorf("got %+v, %v", again, err)
			}
			if n := len(b.VMs()); n != 1 {
				t.Errorf("%d VMs", n)
			}
			for op, most := range tc.max {
				if got := b.Stats().Requests[op]; got > most {
					t.Errorf("%d calls of %s, want %d at most", got, op, most)
				}
			}
		})
	}
}

func TestSim_createLostBefore(t *testing.T) {
	t.Parallel()
	b := newBench(t, "")
	b.fault(t, towersim.Fault{Operation: "create-vm-from-content-library-template", Times: 1, Reset: towersim.ResetBefore})
	_, err := b.c.CreateVM(b.ctx, b.wanted("vm"))
	var unknown *tower.AmbiguousError
	if !errors.As(err, &unknown) || tower.Advice(err) == "" {
		t.Errorf("got %v", err)
	}
	if n := b.Stats().Requests["create-vm-from-content-library-template"]; n != 1 || len(b.VMs()) != 0 {
		t.Errorf("%d calls, %d VMs", n, len(b.VMs()))
	}
}

func TestSim_refusals(t *testing.T) {
	t.Parallel()
	b := newBench(t, "")
	in := b.wanted("vm")
	in.ContentLibraryVMTemplateID = "none"
	_, err := b.c.CreateVM(b.ctx, in)
	var call *tower.Error
	if !errors.As(err, &call) || call.HTTPStatus/100 != 4 || call.RequestID == "" || call.Message == "" {
		t.Errorf("got %v", err)
	}
	b.fault(t, towersim.Fault{Operation: "get-vlans", Status: 403})
	if _, err := b.c.VLAN(b.ctx, b.vlan.ID); !errors.As(err, &call) || call.Class != tower.ClassRefused || tower.Advice(err) == "" {
		t.Errorf("got %v", err)
	}
}

// Someone deletes the VM, or it vanishes for a moment, while others wait for it.
// What a plan asks of many VMs is asked once.
func TestSim_whatAClusterHas(t *testing.T) {
	t.Parallel()
	b := newBench(t, "inventory: {clusters: [{name: cluster-1, hosts: [{name: h1, memory_gib: 64}, {name: h2}]}, {name: cluster-2, vlans: [{name: far}]}]}")
	far, err := b.c.VLANs(b.ctx, tower.Where{"name": "far"})
	if err != nil || len(far) != 1 {
		t.Fatalf("VLANs: %+v, %v", far, err)
	}
	before := b.Stats().Requests
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			hosts, err := b.c.ClusterHosts(b.ctx, b.cluster.ID)
			if err != nil || len(hosts) != 2 || hosts[0].TotalMemoryBytes+hosts[1].TotalMemoryBytes != 64<<30+1<<40 {
				t.Errorf("hosts: %+v, %v", hosts, err)
			}
			for id, want := range map[string]bool{b.vlan.ID: true, far[0].ID: false, "none": false} {
				if here, err := b.c.VLANInCluster(b.ctx, id, b.cluster.ID); err != nil || here != want {
					t.Errorf("look %d: the network %s is in the cluster: %t, %v", i, id, here, err)
				}
			}
		})
	}
	all.Wait()
	after := b.Stats().Requests
	if hosts, vlans := after["get-hosts"]-before["get-hosts"], after["get-vlans"]-before["get-vlans"]; hosts > 2 || vlans > 6 {
		t.Errorf("%d requests for hosts, %d for networks", hosts, vlans)
	}
	if hosts, err := b.c.ClusterHosts(b.ctx, "none"); err != nil || len(hosts) > 0 {
		t.Errorf("hosts of no cluster: %+v, %v", hosts, err)
	}
}

func TestSim_behindOurBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, "timing: {vmtools_sync: 300s}")
	v := b.create(t, b.wanted("vm"))
	if err := b.HideVM("vm", 20*time.Second); err != nil {
		t.Fatal(err)
	}
	seen := map[bool]bool{}
	err := b.c.WatchVM(b.ctx, v.ID, func(obs tower.VMObservation, err error) bool {
		if err == nil {
			seen[obs.VM != nil] = true
		}
		return seen[false] && obs.VM != nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.DeleteVM("vm"); err != nil {
		t.Fatal(err)
	}
	if err := b.c.WatchVM(b.ctx, v.ID, func(obs tower.VMObservation, err error) bool { return err == nil && obs.VM == nil }); err != nil {
		t.Fatal(err)
	}
	if err := b.c.StartVM(b.ctx, v.ID, ""); !errors.Is(err, tower.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestSim_logins(t *testing.T) {
	t.Parallel()
	b := newBench(t, `
inventory:
  users:
    - {username: root, password: tower-sim-password, source: LOCAL}
    - {username: ldap, password: ldap-password, source: LDAP}`)
	key, err := b.NewAPIKey("root", "robot")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		change  func(*tower.Config)
		problem tower.LoginProblem
	}{
		"local":          {func(*tower.Config) {}, ""},
		"LDAP":           {func(c *tower.Config) { c.Username, c.Password, c.UserSource = "ldap", "ldap-password", "LDAP" }, ""},
		"token":          {func(c *tower.Config) { c.Username, c.Password, c.APIToken = "", "", key }, ""},
		"wrong token":    {func(c *tower.Config) { c.Username, c.Password, c.APIToken = "", "", "nonsense" }, tower.LoginTokenRefused},
		"wrong password": {func(c *tower.Config) { c.Password = "nonsense" }, tower.LoginWrongCredentials},
		"wrong source":   {func(c *tower.Config) { c.UserSource = "LDAP" }, tower.LoginWrongCredentials},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, b.Server, tc.change)
			err := c.Login(b.ctx)
			if tc.problem == "" {
				if err != nil || c.Version() == "" {
					t.Fatalf("version %q, %v", c.Version(), err)
				}
				if _, err := c.Clusters(b.ctx, nil); err != nil {
					t.Error(err)
				}
				return
			}
			var login *tower.LoginError
			if !errors.As(err, &login) || login.Problem != tc.problem {
				t.Errorf("got %v, want %s", err, tc.problem)
			}
		})
	}
}

func TestSim_oldTowerAndSecondFactor(t *testing.T) {
	t.Parallel()
	old := newBench(t, "version: 2.8.0")
	if v := old.c.Version(); !strings.HasPrefix(v, "2.8") {
		t.Errorf("version %q", v)
	}
	sim, err := towersim.New(towersim.Options{YAML: []byte("mfa: true")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Close() })
	err = newClient(t, sim, nil).Login(old.ctx)
	var login *tower.LoginError
	if !errors.As(err, &login) || login.Problem != tower.LoginTwoFactor {
		t.Errorf("got %v", err)
	}
}

func TestSim_tls(t *testing.T) {
	t.Parallel()
	sim, err := towersim.New(towersim.Options{TLS: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Close() })
	if err := newClient(t, sim, func(c *tower.Config) { c.CACertificate = sim.CACertificate() }).Login(t.Context()); err != nil {
		t.Error(err)
	}
	err = newClient(t, sim, nil).Login(t.Context())
	var login *tower.LoginError
	if !errors.As(err, &login) || login.Problem != tower.LoginTLS {
		t.Errorf("got %v", err)
	}
}

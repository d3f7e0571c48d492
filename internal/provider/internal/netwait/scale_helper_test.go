// SPDX-License-Identifier: MPL-2.0

package netwait_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/kubenode"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/netwait"
	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// waitLimit is the timeout of waits that should end long before it.
const waitLimit = 10 * time.Minute

// rig is a simulated Tower with its workload cluster, and the clients of one
// configured provider for both, which all waits share.
type rig struct {
	sim    *towersim.Server
	client *tower.Client
	nodes  netwait.Nodes
}

func newRig(tb testing.TB, scenario string, interval time.Duration) *rig {
	tb.Helper()
	sim, err := towersim.New(towersim.Options{YAML: []byte(scenario)})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := sim.Close(); err != nil {
			tb.Errorf("closing the simulator: %v", err)
		}
	})
	kubeconfig, err := sim.Kubeconfig()
	if err != nil {
		tb.Fatal(err)
	}
	client, err := tower.New(tower.Config{
		Server: sim.URL(), Username: sim.Username(), Password: sim.Password(), PollInterval: interval, MaxRetries: 5,
	})
	if err != nil {
		tb.Fatal(err)
	}
	if err := client.Login(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	directory := kubenode.New(kubenode.Config{ConfigContent: kubeconfig}, kubenode.Options{Interval: interval})
	return &rig{sim: sim, client: client, nodes: netwait.NodesOf(directory)}
}

// lagScenario has the times that were measured with Cluster API's provider for
// ELF: when the node registers, and when Tower first shows the guest's addresses,
// both after the power-on.
const lagScenario = `
inventory:
  clusters: [{name: cluster-1, hosts: 5, vlans: [{name: default, dhcp: 10.255.0.0/16}]}]
guests:
  - match: "ecp-*"
    nics: [{index: 0, address: 10.255.1.7, dhcp: 5s, reported: 127s, link_local_first: true}]
    kubernetes_node: {registered: 78s, internal_ip: 10.255.1.7}
  - match: "single-dhcp-*"
    nics: [{index: 0, address: 10.255.1.8, dhcp: 5s, reported: 139s}]
    kubernetes_node: {registered: 74s, internal_ip: 10.255.1.8}
  - match: "double-dhcp-*"
    nics: [{index: 0, address: 10.255.1.9, reported: 150s}, {index: 1, address: 10.255.1.10, reported: 150s}]
    kubernetes_node: {registered: 81s, internal_ip: 10.255.1.9}
  - match: "single-static-*"
    nics: [{index: 0, reported: 170s}]
    kubernetes_node: {registered: 112s, internal_ip: 10.255.233.186}
  - match: "double-static-*"
    nics: [{index: 0, reported: 140s}, {index: 1, reported: 140s}]
    kubernetes_node: {registered: 81s, internal_ip: 10.255.233.186}
`

// lagCase is one measured case. NICs are static addresses, "" for a DHCP NIC.
// ByTower says whether Tower's report makes the VM ready, or else the node.
type lagCase struct {
	name    string
	nics    []string
	byTower bool
}

var lagCases = []lagCase{
	{"ecp", []string{"", "240.255.0.1/32"}, false},
	{"single-dhcp", []string{""}, false},
	{"double-dhcp", []string{"", ""}, true},
	{"single-static", []string{"10.255.233.186/16"}, false},
	{"double-static", []string{"10.255.233.186/16", "10.255.233.187/16"}, false},
}

// decisiveMoment returns when Tower or the node first showed what makes the VM
// ready, nil if that has not happened.
func (c lagCase) decisiveMoment(vm towersim.VMReport) *time.Time {
	if !c.byTower {
		return vm.NodeRegisteredAt
	}
	var last *time.Time
	for _, nic := range vm.NICs {
		if nic.ReportedAt == nil {
			return nil
		}
		if last == nil || nic.ReportedAt.After(*last) {
			last = nic.ReportedAt
		}
	}
	return last
}

func (c lagCase) rule() readiness.Spec {
	spec := readiness.Spec{Runs: true}
	for _, static := range c.nics {
		nic := readiness.NIC{Type: readiness.DHCP, Enabled: true, Waits: true}
		if static != "" {
			nic.Type, nic.Address = readiness.Static, netip.MustParsePrefix(static).Addr()
		}
		spec.NICs = append(spec.NICs, nic)
	}
	return spec
}

// owns reports whether the VM with that name belongs to the case.
func (c lagCase) owns(name string) bool {
	i := strings.LastIndexByte(name, '-')
	return i >= 0 && name[:i] == c.name
}

// place has the ids of the objects that VMs are created from.
type place struct{ cluster, vlan, template string }

func (r *rig) place(ctx context.Context) (place, error) {
	clusters, err := r.client.Clusters(ctx, nil)
	if err != nil || len(clusters) == 0 {
		return place{}, errors.Join(err, errors.New("no cluster"))
	}
	vlans, err := r.client.VLANs(ctx, tower.Where{"name": "default"})
	if err != nil || len(vlans) == 0 {
		return place{}, errors.Join(err, errors.New("no VM network"))
	}
	templates, err := r.client.ContentLibraryVMTemplates(ctx, nil)
	if err != nil || len(templates) == 0 {
		return place{}, errors.Join(err, errors.New("no template"))
	}
	return place{clusters[0].ID, vlans[0].ID, templates[0].ID}, nil
}

// create returns the request that creates one VM of the case.
func (c lagCase) create(name string, at place) tower.VMCreate {
	in := tower.VMCreate{
		Name: name, ClusterID: at.cluster, ContentLibraryVMTemplateID: at.template, Running: true, CloudInit: &tower.CloudInit{},
	}
	for i, static := range c.nics {
		in.NICs = append(in.NICs, tower.NICCreate{VLANID: at.vlan})
		network := tower.CloudInitNetwork{NICIndex: i, Type: string(readiness.DHCP)}
		if static != "" {
			address, bits, _ := strings.Cut(static, "/")
			network.Type, network.IPAddress = string(readiness.Static), address
			network.Netmask = map[string]string{"16": "255.255.0.0", "32": "255.255.255.255"}[bits]
		}
		in.CloudInit.Networks = append(in.CloudInit.Networks, network)
	}
	return in
}

// createAndWait creates a VM and waits for its network. It returns the time at
// which the wait ended.
func (r *rig) createAndWait(ctx context.Context, c lagCase, name string, at place) (time.Time, error) {
	creation, err := r.client.CreateVM(ctx, c.create(name, at))
	if err != nil {
		return time.Time{}, err
	}
	vm, err := creation.Wait(ctx)
	if err != nil {
		return time.Time{}, err
	}
	result := netwait.Wait(ctx, r.client, netwait.Request{
		VMID: vm.ID, VMName: name, Rule: c.rule(), Timeout: waitLimit, Nodes: r.nodes,
	})
	ended := time.Now()
	if result.End != netwait.Ready {
		return ended, fmt.Errorf("VM %q: the wait ended with %d: %w", name, result.End, result.Err)
	}
	return ended, nil
}

// load is the number of requests to Tower while VMs were waited for.
type load struct {
	vms      int
	took     time.Duration // from before the first wait to after the last counted request
	requests map[string]int
	seen     int // how many VMs were shown at least once
}

// waitingLoad waits for all VMs of the rig, which never become ready, until enough
// returns true.
func (r *rig) waitingLoad(ctx context.Context, enough func(took time.Duration, requests map[string]int) bool) load {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	vms := r.sim.VMs()
	var waits sync.WaitGroup
	var mu sync.Mutex
	shown := map[string]bool{}
	before, start := r.sim.Stats().Requests, time.Now()
	for _, vm := range vms {
		waits.Go(func() {
			netwait.Wait(ctx, r.client, netwait.Request{
				VMID: vm.ID, VMName: vm.Name, Timeout: waitLimit,
				Rule: readiness.Spec{Runs: true, NICs: []readiness.NIC{{Type: readiness.DHCP, Enabled: true, Waits: true}}},
				Progress: func(string, map[string]any) {
					mu.Lock()
					defer mu.Unlock()
					shown[vm.Name] = true
				},
			})
		})
	}
	out := load{vms: len(vms)}
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for out.requests == nil || !enough(out.took, out.requests) {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return out
		}
		now := r.sim.Stats().Requests
		out.took, out.requests = time.Since(start), map[string]int{}
		for operation, count := range now {
			if count > before[operation] {
				out.requests[operation] = count - before[operation]
			}
		}
	}
	cancel()
	waits.Wait()
	out.seen = len(shown)
	return out
}

// total returns the number of all requests.
func (l load) total() int {
	sum := 0
	for _, n := range l.requests {
		sum += n
	}
	return sum
}

// chunks returns how many requests it takes to read the NICs of all VMs.
func (l load) chunks() int { return (l.vms + 99) / 100 }

// loadScenario returns a scenario with n VMs whose guests never report an address.
func loadScenario(n int) string {
	var b strings.Builder
	b.WriteString("guests: [{match: '*', nics: [{index: 0, reported: never}]}]\n")
	b.WriteString("inventory:\n  clusters: [{name: cluster-1, hosts: 5}]\n  vms:\n")
	for i := range n {
		fmt.Fprintf(&b, "    - {name: vm-%d, cluster: cluster-1, nics: [default], memory_mib: 512, power: RUNNING}\n", i)
	}
	return b.String()
}

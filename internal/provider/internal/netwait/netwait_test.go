// SPDX-License-Identifier: MPL-2.0

package netwait

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/kubenode"
	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

const interval = 5 * time.Second

// script is a Watcher that plays looks an interval apart, and then repeats the
// last one forever.
type script []look

type look struct {
	vm   *tower.VM
	nics []tower.VMNIC
	err  error
}

func (s script) WatchVM(ctx context.Context, _ string, observe func(tower.VMObservation, error) bool) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for i := 0; ; i++ {
		at := s[min(i, len(s)-1)]
		if observe(tower.VMObservation{VM: at.vm, NICs: at.nics}, at.err) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

func running(nics ...tower.VMNIC) look {
	return look{vm: &tower.VM{ID: "vm-1", LocalID: "uuid", Status: "RUNNING", ToolsStatus: "RUNNING"}, nics: nics}
}

func in(status string) look {
	return look{vm: &tower.VM{ID: "vm-1", LocalID: "uuid", Status: status}}
}

func nic(order int, addresses ...string) tower.VMNIC {
	return tower.VMNIC{MAC: "52:54:00:00:00:0" + string(rune('0'+order)), VLANName: "default", Order: order, Enabled: true, IPAddresses: addresses}
}

func dhcp(n int) readiness.Spec {
	spec := readiness.Spec{Runs: true}
	for range n {
		spec.NICs = append(spec.NICs, readiness.NIC{Type: readiness.DHCP, Enabled: true, Waits: true})
	}
	return spec
}

func request(rule readiness.Spec) Request {
	return Request{VMID: "vm-1", VMName: "web", Rule: rule, Timeout: time.Minute}
}

func TestWait_ends(t *testing.T) {
	t.Parallel()
	broken := look{err: errors.New("HTTP 502")}
	cases := map[string]struct {
		looks  script
		want   End
		waited time.Duration
	}{
		"ready at the first look":                {script{running(nic(0, "10.0.0.1"))}, Ready, 0},
		"ready late":                             {script{running(nic(0)), running(nic(0)), running(nic(0, "10.0.0.1"))}, Ready, 2 * interval},
		"link-local first":                       {script{running(nic(0, "169.254.1.1")), running(nic(0, "10.0.0.1"))}, Ready, interval},
		"never ready":                            {script{running(nic(0))}, TimedOut, time.Minute},
		"failed looks are no verdict":            {script{broken, broken, running(nic(0, "10.0.0.1"))}, Ready, 2 * interval},
		"switched off after it ran":              {script{running(nic(0)), in("STOPPED")}, PoweredOff, interval},
		"stopped once before it is seen to run":  {script{in("STOPPED"), running(nic(0, "10.0.0.1"))}, Ready, interval},
		"never seen to run":                      {script{in("STOPPED")}, PoweredOff, interval},
		"suspended":                              {script{running(nic(0)), in("SUSPENDED")}, Suspended, interval},
		"its host can't be reached for a moment": {script{running(nic(0)), in("UNKNOWN"), running(nic(0, "10.0.0.1"))}, Ready, 2 * interval},
		"out of sight for one look":              {script{running(nic(0)), {}, running(nic(0, "10.0.0.1"))}, Ready, 2 * interval},
		"deleted":                                {script{running(nic(0)), {}}, Deleted, 2 * interval},
		"moved to the recycle bin": {
			script{running(nic(0)), {vm: &tower.VM{ID: "vm-1", Status: "STOPPED", InRecycleBin: true}}}, Recycled, interval,
		},
		"still being created": {
			script{
				{vm: &tower.VM{ID: "vm-1", Status: "STOPPED", EntityAsyncStatus: "CREATING"}},
				{vm: &tower.VM{ID: "vm-1", Status: "STOPPED", EntityAsyncStatus: "CREATING"}},
				running(nic(0, "10.0.0.1")),
			}, Ready, 2 * interval,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				result := Wait(t.Context(), tc.looks, request(dhcp(1)))
				if result.End != tc.want || result.Waited != tc.waited {
					t.Errorf("ended %d after %s, want %d after %s\n%s", result.End, result.Waited, tc.want, tc.waited, result.Report(request(dhcp(1))))
				}
			})
		})
	}
}

func TestWait_cancelIsNoTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(7*time.Second, cancel)
		result := Wait(ctx, script{running(nic(0))}, request(dhcp(1)))
		if result.End != Cancelled || result.Waited != 7*time.Second {
			t.Errorf("ended %d after %s, want cancelled after 7s", result.End, result.Waited)
		}
		if result.VM == nil || len(result.Verdict.NICs) != 1 {
			t.Error("the last look before the cancellation is lost")
		}
	})
}

func TestWait_deadlineOfTheOperationIsATimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
		defer cancel()
		if result := Wait(ctx, script{running(nic(0))}, request(dhcp(1))); result.End != TimedOut || result.Waited != 12*time.Second {
			t.Errorf("ended %d after %s, want timed out after 12s", result.End, result.Waited)
		}
	})
}

func TestWait_settle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		looks := script{
			running(nic(0, "10.0.0.1")), running(nic(0, "10.0.0.2")), running(nic(0, "10.0.0.2")), running(nic(0)),
			running(nic(0, "10.0.0.3")),
		}
		req := request(dhcp(1))
		req.Settle = 2 * interval
		result := Wait(t.Context(), looks, req)
		if result.End != Ready || result.Waited != 6*interval {
			t.Errorf("ended %d after %s, want ready after %s, two intervals after the last change", result.End, result.Waited, 6*interval)
		}
		if want := netip.MustParseAddr("10.0.0.3"); len(result.Verdict.Addresses) != 1 || result.Verdict.Addresses[0] != want {
			t.Errorf("addresses %v, want %s", result.Verdict.Addresses, want)
		}
	})
}

func TestWait_progressOnChangeAndOnceAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var said []time.Duration
		start := time.Now()
		req := request(dhcp(1))
		req.Timeout = 3*time.Minute - time.Second
		req.Progress = func(message string, fields map[string]any) {
			if !strings.Contains(message, "Waiting") || fields["vm_id"] != "vm-1" {
				t.Errorf("progress %q %v", message, fields)
			}
			said = append(said, time.Since(start))
		}
		Wait(t.Context(), script{running(nic(0)), running(nic(0)), running(nic(0, "169.254.0.9"))}, req)
		want := []time.Duration{0, 10 * time.Second, 70 * time.Second, 130 * time.Second}
		if len(said) != len(want) {
			t.Fatalf("said something at %v, want %v", said, want)
		}
		for i := range want {
			if said[i] != want[i] {
				t.Errorf("said something at %v, want %v", said, want)
			}
		}
	})
}

func TestReport_namesWhatAPersonNeeds(t *testing.T) {
	t.Parallel()
	rule := dhcp(2)
	rule.NICs = append(rule.NICs, readiness.NIC{Type: readiness.Static, Address: netip.MustParseAddr("240.255.0.1"), Enabled: true, Waits: true})
	req := request(rule)
	req.Timeout = 6 * time.Second
	cases := map[string]struct {
		looks script
		want  []string
	}{
		"link-local, nothing and a static": {
			script{{
				vm:   &tower.VM{ID: "vm-1", Status: "RUNNING", ToolsStatus: "RUNNING", ToolsVersion: "3.1.0"},
				nics: []tower.VMNIC{nic(0, "169.254.7.7"), nic(1), nic(2, "240.255.0.1")},
			}},
			[]string{
				`VM "web" (id vm-1)`, "not ready after 6s", "What to check:", "Power state: RUNNING", "VM tools: RUNNING, version 3.1.0",
				`NIC 0 (MAC 52:54:00:00:00:00, VLAN "default", IPV4_DHCP): 169.254.7.7, which does not count: `,
				`NIC 1 (MAC 52:54:00:00:00:01, VLAN "default", IPV4_DHCP): no address reported`, "NIC 2", "240.255.0.1", "DHCP server",
			},
		},
		"tools not installed": {
			script{{vm: &tower.VM{ID: "vm-1", Status: "RUNNING", ToolsStatus: "NOT_INSTALLED"}, nics: []tower.VMNIC{nic(0), nic(1), nic(2)}}},
			[]string{"VM tools: NOT_INSTALLED", "Install them in the template"},
		},
		"Tower fails": {script{{err: errors.New("HTTP 503 from a proxy")}}, []string{"HTTP 503 from a proxy", "Tower did not show the VM"}},
		"switched off": {
			script{running(nic(0), nic(1), nic(2)), in("STOPPED")},
			[]string{"was powered off during the wait", `power_state = "RUNNING"`},
		},
		"off from the start":       {script{in("STOPPED")}, []string{"the VM has been off for the whole wait", "whether the VM is meant to run", `power_state = "RUNNING"`}},
		"suspended from the start": {script{in("SUSPENDED")}, []string{"the VM has been suspended for the whole wait", "whether the VM is meant to run", `power_state = "RUNNING"`}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				text := Wait(t.Context(), tc.looks, req).Report(req)
				for _, want := range tc.want {
					if !strings.Contains(text, want) {
						t.Errorf("the report lacks %q:\n%s", want, text)
					}
				}
			})
		})
	}
}

// nodeStory shows a node after some time.
type nodeStory struct {
	after   time.Duration
	status  kubenode.Status
	asked   []kubenode.Query
	stopped int

	start time.Time
	fresh chan struct{}
}

func (n *nodeStory) Watch(_ context.Context, q kubenode.Query) NodeWatch {
	n.asked = append(n.asked, q)
	n.start, n.fresh = time.Now(), make(chan struct{}, 1)
	time.AfterFunc(n.after, func() { n.fresh <- struct{}{} })
	return n
}

func (n *nodeStory) Fresh() <-chan struct{} { return n.fresh }

func (n *nodeStory) Status() kubenode.Status {
	if time.Since(n.start) < n.after {
		return kubenode.Status{Problem: "Kubernetes has not answered yet."}
	}
	return n.status
}

func (n *nodeStory) Stop() { n.stopped++ }

func TestWait_nodeAddressStandsInForTheOneDHCPNIC(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		nodes := &nodeStory{after: 12 * time.Second, status: kubenode.Status{Node: "web", InternalIPs: []string{"10.0.0.9"}}}
		req := request(dhcp(1))
		req.Nodes, req.NodeName = nodes, "named"
		result := Wait(t.Context(), script{running(nic(0))}, req)
		if result.End != Ready || result.Waited != 12*time.Second || result.Verdict.Source != readiness.SourceKubernetesNode {
			t.Errorf("ended %d after %s by %s, want ready after 12s by the node", result.End, result.Waited, result.Verdict.Source)
		}
		want := kubenode.Query{ProviderID: "elf://uuid", NodeName: "named"}
		if len(nodes.asked) != 1 || nodes.asked[0] != want {
			t.Errorf("asked for %+v, want %+v once", nodes.asked, want)
		}
		if nodes.stopped != 1 {
			t.Errorf("the watch was stopped %d times, want once", nodes.stopped)
		}
	})
}

func TestWait_nodeIsNotAskedWhereTowerIsEnough(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		nodes := &nodeStory{}
		req := request(dhcp(1))
		req.Nodes = nodes
		result := Wait(t.Context(), script{running(nic(0, "10.0.0.1"))}, req)
		if result.End != Ready || len(nodes.asked) != 0 || result.NodeAsked {
			t.Errorf("ended %d, asked %d times, want ready without asking", result.End, len(nodes.asked))
		}
	})
}

func TestWait_silentKubernetesDelaysNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		req := request(dhcp(1))
		req.Nodes = &nodeStory{after: time.Hour}
		result := Wait(t.Context(), script{running(nic(0)), running(nic(0)), running(nic(0, "10.0.0.1"))}, req)
		if result.End != Ready || result.Waited != 2*interval || result.Verdict.Source != readiness.SourceTower {
			t.Errorf("ended %d after %s by %s, want ready after %s by Tower", result.End, result.Waited, result.Verdict.Source, 2*interval)
		}
	})
}

func TestReport_tellsWhatKubernetesSaid(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		status kubenode.Status
		want   string
	}{
		"a problem":            {kubenode.Status{Problem: "Kubernetes refused the credentials (401)."}, "Kubernetes: Kubernetes refused the credentials (401)."},
		"an address of no use": {kubenode.Status{Node: "web-0", InternalIPs: []string{"240.255.0.1"}}, `node "web-0" shows 240.255.0.1, which does not count`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rule := dhcp(1)
				rule.NICs = append(rule.NICs, readiness.NIC{Type: readiness.Static, Address: netip.MustParseAddr("240.255.0.1"), Enabled: true, Waits: true})
				req := request(rule)
				req.Nodes = &nodeStory{status: tc.status}
				if text := Wait(t.Context(), script{running(nic(0), nic(1))}, req).Report(req); !strings.Contains(text, tc.want) {
					t.Errorf("the report lacks %q:\n%s", tc.want, text)
				}
			})
		})
	}
}

func TestWait_addressFromBeforeARestartDoesNotCount(t *testing.T) {
	t.Parallel()
	silent := look{vm: &tower.VM{ID: "vm-1", LocalID: "uuid", Status: "RUNNING", ToolsStatus: "NOT_RUNNING"}, nics: []tower.VMNIC{nic(0, "10.0.0.1")}}
	for restarted, want := range map[bool]time.Duration{false: 0, true: 2 * interval} {
		synctest.Test(t, func(t *testing.T) {
			req := request(dhcp(1))
			req.Restarted = restarted
			result := Wait(t.Context(), script{silent, silent, running(nic(0, "10.0.0.2"))}, req)
			if result.End != Ready || result.Waited != want {
				t.Errorf("restarted %t: ended %d after %s, want ready after %s", restarted, result.End, result.Waited, want)
			}
		})
	}
}

// SPDX-License-Identifier: MPL-2.0

package readiness_test

import (
	"net/netip"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
)

// usablePool is small on purpose, so that addresses collide. The entries of filteredPool never count.
var (
	usablePool   = []string{first, other, third, static, uplink}
	filteredPool = []string{"", " ", "fe80::1", "2001:db8::7", "::", "0.0.0.0", "127.0.0.1", "169.254.3.4", "224.0.0.5", "junk", "10.0.0", "172.17.0.1"}
	dockerBridge = netip.MustParsePrefix("172.17.0.0/16")
)

func drawKind(t *rapid.T) readiness.NetworkType {
	return rapid.SampledFrom([]readiness.NetworkType{readiness.DHCP, readiness.DHCP, readiness.Static, readiness.None}).Draw(t, "type")
}

// drawVM makes a VM with up to four NICs, each with up to three reported addresses.
func drawVM(t *rapid.T) []vnic {
	pool := slices.Concat(usablePool, usablePool, filteredPool)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) vnic {
		n := vnic{
			kind:    drawKind(t),
			idle:    rapid.IntRange(0, 4).Draw(t, "idle") == 0,
			off:     rapid.IntRange(0, 6).Draw(t, "off") == 0,
			route:   rapid.IntRange(0, 3).Draw(t, "route") == 0,
			reports: rapid.SliceOfN(rapid.SampledFrom(pool), 0, 3).Draw(t, "reports"),
		}
		if n.kind == readiness.Static {
			n.address = rapid.SampledFrom([]string{static, uplink, third}).Draw(t, "address")
		}
		return n
	}), 0, 4).Draw(t, "NICs")
}

func drawNode(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.SampledFrom(slices.Concat(usablePool, filteredPool)), 0, 2).Draw(t, "node")
}

// drawCase makes a VM together with the spec to judge it by and what Tower reports.
func drawCase(t *rapid.T) ([]vnic, readiness.Spec, readiness.Observation) {
	nics := drawVM(t)
	spec, obs := build(nics...)
	spec.Runs = rapid.IntRange(0, 9).Draw(t, "runs") > 0
	spec.RequireStatic = rapid.IntRange(0, 3).Draw(t, "require static") == 0
	spec.Implicit = rapid.IntRange(0, 9).Draw(t, "implicit") == 0
	spec.Ignored = []netip.Prefix{dockerBridge}
	return nics, spec, obs
}

// expected applies the rule by trying every assignment of addresses to NICs. It uses no code of the package.
func expected(nics []vnic, spec readiness.Spec, node []string) bool {
	statics, reported := map[string]bool{}, map[string]bool{}
	var waiting, dhcps []vnic
	for _, n := range nics {
		if n.address != "" && !spec.Implicit {
			statics[n.address] = true
		}
		for _, a := range n.reports {
			if slices.Contains(usablePool, a) {
				reported[a] = true
			}
		}
		if waits := !n.off && (spec.Implicit || !n.idle && n.kind != readiness.None); waits {
			waiting = append(waiting, n)
			if n.kind == readiness.DHCP && !spec.Implicit {
				dhcps = append(dhcps, n)
			}
		}
	}
	if len(waiting) == 0 || !spec.Runs {
		return true
	}
	for _, n := range waiting {
		if spec.RequireStatic && !spec.Implicit && n.kind == readiness.Static && !slices.Contains(n.reports, n.address) {
			return false
		}
	}
	nodeUsable, nodeFits := false, false
	for _, a := range node {
		if slices.Contains(usablePool, a) {
			nodeUsable = true
			nodeFits = nodeFits || !statics[a] && !reported[a]
		}
	}
	if len(dhcps) == 0 {
		return len(reported) > 0 || nodeUsable
	}
	var assign func(i int, used map[string]bool) bool
	assign = func(i int, used map[string]bool) bool {
		if i == len(dhcps) {
			return true
		}
		has := false
		for _, a := range dhcps[i].reports {
			if !slices.Contains(usablePool, a) || statics[a] {
				continue
			}
			has = true
			if !used[a] {
				used[a] = true
				if assign(i+1, used) {
					return true
				}
				delete(used, a)
			}
		}
		if has || !nodeFits || used["the node's"] {
			return false
		}
		used["the node's"] = true
		defer delete(used, "the node's")
		return assign(i+1, used)
	}
	return assign(0, map[string]bool{})
}

func TestProperty_agreesWithTryingEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nics, spec, obs := drawCase(t)
		obs.Node = drawNode(t)
		v := readiness.Evaluate(spec, obs)
		if want := expected(nics, spec, obs.Node); v.Ready != want {
			t.Fatalf("got ready %v, want %v: %+v", v.Ready, want, v)
		}
	})
}

// Without a node, one more usable address on a NIC never makes a ready VM unready.
func TestProperty_oneMoreAddressNeverHarms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, spec, obs := drawCase(t)
		if len(obs.NICs) == 0 || !readiness.Evaluate(spec, obs).Ready {
			t.SkipNow()
		}
		i := rapid.IntRange(0, len(obs.NICs)-1).Draw(t, "NIC")
		more := rapid.SampledFrom(slices.Concat(usablePool, []string{"10.77.0.1"})).Draw(t, "address")
		obs.NICs[i].Addresses = slices.Insert(slices.Clone(obs.NICs[i].Addresses), 0, more)
		if v := readiness.Evaluate(spec, obs); !v.Ready {
			t.Fatalf("%s on %s made it unready: %+v", more, obs.NICs[i].MAC, v)
		}
	})
}

func TestProperty_filteredAddressesNeverMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, spec, obs := drawCase(t)
		obs.Node = drawNode(t)
		before := readiness.Evaluate(spec, obs)
		filtered := rapid.SliceOfN(rapid.SampledFrom(filteredPool), 0, 3)
		for i := range obs.NICs {
			obs.NICs[i].Addresses = slices.Concat(filtered.Draw(t, "before"), obs.NICs[i].Addresses, filtered.Draw(t, "after"))
		}
		obs.Node = slices.Concat(filtered.Draw(t, "node before"), obs.Node, filtered.Draw(t, "node after"))
		after := readiness.Evaluate(spec, obs)
		if before.Ready != after.Ready || before.Source != after.Source || before.NeedsNode != after.NeedsNode ||
			before.Default != after.Default || !slices.Equal(before.Addresses, after.Addresses) {
			t.Fatalf("before %+v\nafter %+v", before, after)
		}
	})
}

// The order of the configuration decides which address is shown first, but never whether the VM is ready.
func TestProperty_orderOfNICsNeverMattersToReady(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nics, spec, obs := drawCase(t)
		obs.Node = drawNode(t)
		want := readiness.Evaluate(spec, obs)
		shuffled, shuffledObs := build(rapid.Permutation(nics).Draw(t, "order")...)
		spec.NICs, shuffledObs.Node = shuffled.NICs, obs.Node
		got := readiness.Evaluate(spec, shuffledObs)
		if got.Ready != want.Ready || got.Source != want.Source || got.NeedsNode != want.NeedsNode {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
	})
}

func TestProperty_orderOfTheReportNeverMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, spec, obs := drawCase(t)
		obs.Node = drawNode(t)
		for i := range spec.NICs {
			if rapid.Bool().Draw(t, "MAC unknown") {
				spec.NICs[i].MAC = ""
			}
		}
		for i := range obs.NICs {
			obs.NICs[i].Order = rapid.IntRange(0, 3).Draw(t, "order") // two NICs may have the same
		}
		want := readiness.Evaluate(spec, obs)
		obs.NICs = rapid.Permutation(obs.NICs).Draw(t, "shuffled")
		if got := readiness.Evaluate(spec, obs); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
	})
}

// A VM with a DHCP NIC is never ready while only configured static addresses are reported.
func TestProperty_staticAddressesNeverStandForDHCP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nics := append(drawVM(t), dhcp())
		var pool []string
		for _, n := range nics {
			if n.address != "" {
				pool = append(pool, n.address)
			}
		}
		pool = append(pool, filteredPool...)
		for i := range nics {
			nics[i].reports = rapid.SliceOfN(rapid.SampledFrom(pool), 0, 4).Draw(t, "reports")
		}
		spec, obs := build(rapid.Permutation(nics).Draw(t, "order")...)
		spec.Ignored = []netip.Prefix{dockerBridge}
		obs.Node = rapid.SliceOfN(rapid.SampledFrom(pool), 0, 2).Draw(t, "node")
		if v := readiness.Evaluate(spec, obs); v.Ready {
			t.Fatalf("ready: %+v", v)
		}
	})
}

// consistent checks what must hold for every verdict.
func consistent(t interface {
	Helper()
	Fatalf(string, ...any)
}, spec readiness.Spec, obs readiness.Observation,
) {
	t.Helper()
	v := readiness.Evaluate(spec, obs)
	if again := readiness.Evaluate(spec, obs); !reflect.DeepEqual(v, again) {
		t.Fatalf("two verdicts on one observation: %+v\n%+v", v, again)
	}
	if v.Default.IsValid() != slices.Contains(v.Addresses, v.Default) || v.Default.IsValid() != (len(v.Addresses) > 0) {
		t.Fatalf("default %v of %v", v.Default, v.Addresses)
	}
	if !spec.Implicit && len(v.NICs) != len(spec.NICs) {
		t.Fatalf("%d verdicts on %d NICs", len(v.NICs), len(spec.NICs))
	}
	satisfied, anyWaits, fromNode := true, false, 0
	for _, n := range slices.Concat(v.NICs, v.Others) {
		satisfied = satisfied && n.Satisfied
		anyWaits = anyWaits || n.Waits
		if n.FromNode {
			fromNode++
		}
		for _, a := range n.Addresses {
			if !slices.Contains(v.Addresses, a) {
				t.Fatalf("%v is not in the flat list %v", a, v.Addresses)
			}
		}
	}
	seen := map[netip.Addr]bool{}
	for _, a := range v.Addresses {
		if _, reason := readiness.Usable(a.String(), spec.Ignored); reason != "" || seen[a] {
			t.Fatalf("%v in the flat list %v: %q", a, v.Addresses, reason)
		}
		seen[a] = true
	}
	idle := !anyWaits || !spec.Runs
	switch {
	case v.Ready != satisfied, v.Ready != (len(v.Missing) == 0):
		t.Fatalf("ready %v, all NICs satisfied %v, missing %q", v.Ready, satisfied, v.Missing)
	case (v.Source == readiness.SourceNone) != (!v.Ready || idle):
		t.Fatalf("ready %v, idle %v by %q", v.Ready, idle, v.Source)
	case v.Source == readiness.SourceTower && v.NeedsNode, v.Source == readiness.SourceKubernetesNode && !v.NeedsNode:
		t.Fatalf("source %q, needs node %v", v.Source, v.NeedsNode)
	case fromNode > 0 && !v.NeedsNode:
		t.Fatalf("shows an address of a node that is not needed: %+v", v)
	}
	obs.Node = nil
	if alone := readiness.Evaluate(spec, obs); alone.NeedsNode != v.NeedsNode {
		t.Fatalf("needs node %v without the node, %v with it", alone.NeedsNode, v.NeedsNode)
	}
}

func TestProperty_verdictsAreConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, spec, obs := drawCase(t)
		obs.Node = drawNode(t)
		if len(spec.NICs) > 0 && rapid.Bool().Draw(t, "a NIC that nobody configured") {
			spec.NICs = spec.NICs[:len(spec.NICs)-1]
		}
		consistent(t, spec, obs)
	})
}

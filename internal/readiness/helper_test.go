// SPDX-License-Identifier: MPL-2.0

package readiness_test

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
)

// The addresses that the tests use. Every VM in the ECP network has the address uplink.
const (
	uplink = "240.255.0.1"
	static = "10.255.233.186"
	first  = "10.255.1.7"
	other  = "10.255.1.8"
	third  = "10.255.1.9"
)

// vnic is a NIC as it is configured, with the addresses that Tower reports on it.
type vnic struct {
	kind    readiness.NetworkType
	address string
	idle    bool // does not wait
	off     bool // disabled
	route   bool
	reports []string
}

func dhcp(reports ...string) vnic { return vnic{kind: readiness.DHCP, reports: reports} }

func fixed(address string, reports ...string) vnic {
	return vnic{kind: readiness.Static, address: address, reports: reports}
}

func mac(i int) string { return fmt.Sprintf("52:54:00:00:00:%02x", i) }

func ip(s string) netip.Addr {
	if s == "" {
		return netip.Addr{}
	}
	return netip.MustParseAddr(s)
}

func ips(texts ...string) []netip.Addr {
	var out []netip.Addr
	for _, s := range texts {
		out = append(out, ip(s))
	}
	return out
}

// build makes a running VM with nics. Tower reports them in reverse order, so they have to be paired by MAC.
func build(nics ...vnic) (readiness.Spec, readiness.Observation) {
	spec := readiness.Spec{Runs: true}
	var obs readiness.Observation
	for i, n := range nics {
		spec.NICs = append(spec.NICs, readiness.NIC{
			MAC: mac(i), Type: n.kind, Address: ip(n.address),
			Enabled: !n.off, Waits: !n.idle && !n.off && n.kind != readiness.None, DefaultRoute: n.route,
		})
		obs.NICs = append(obs.NICs, readiness.ReportedNIC{MAC: mac(i), Order: i, Enabled: !n.off, Addresses: n.reports})
	}
	slices.Reverse(obs.NICs)
	return spec, obs
}

// permutations calls visit with every order of items.
func permutations[T any](items []T, visit func([]T)) {
	var walk func(int)
	work := slices.Clone(items)
	walk = func(k int) {
		if k == len(work) {
			visit(slices.Clone(work))
			return
		}
		for i := k; i < len(work); i++ {
			work[k], work[i] = work[i], work[k]
			walk(k + 1)
			work[k], work[i] = work[i], work[k]
		}
	}
	walk(0)
}

func expectAddresses(t *testing.T, what string, got []netip.Addr, want ...string) {
	t.Helper()
	if !slices.Equal(got, ips(want...)) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func expect[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

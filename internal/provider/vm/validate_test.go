// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/provider"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/vm"
)

// object is a configuration: attributes by name, the others null.
type object = map[string]any

// unknown stands for a value that is known only after apply.
type unknown struct{}

// validate runs the provider's own validation of a configuration over the
// plugin protocol, as terraform validate does, and returns its diagnostics.
func validate(t *testing.T, config object) []*tfprotov6.Diagnostic {
	t.Helper()
	server := providerserver.NewProtocol6(provider.New("test")())()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	schemaType := schemas.ResourceSchemas[vm.ResourceType].ValueType()
	value, err := tfprotov6.NewDynamicValue(schemaType, build(t, schemaType, config))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: vm.ResourceType, Config: &value,
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Diagnostics
}

func build(t *testing.T, typ tftypes.Type, value any) tftypes.Value {
	t.Helper()
	switch value := value.(type) {
	case nil:
		return tftypes.NewValue(typ, nil)
	case unknown:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	case int:
		return tftypes.NewValue(typ, big.NewFloat(float64(value)))
	case object:
		members := map[string]tftypes.Value{}
		types := typ.(tftypes.Object).AttributeTypes
		for name, memberType := range types {
			members[name] = build(t, memberType, value[name])
		}
		for name := range value {
			if _, ok := types[name]; !ok {
				t.Fatalf("the schema has no attribute %q", name)
			}
		}
		return tftypes.NewValue(typ, members)
	case []any:
		elements := make([]tftypes.Value, 0, len(value))
		for _, element := range value {
			elements = append(elements, build(t, typ.(tftypes.List).ElementType, element))
		}
		return tftypes.NewValue(typ, elements)
	default:
		return tftypes.NewValue(typ, value)
	}
}

// with is a configuration that is fine, changed by the given attributes.
func with(changes object) object {
	config := object{
		"name": "web", "cluster_id": "cluster", "source": object{"content_library_vm_template_id": "template"},
		"nics": []any{object{"vlan_id": "vlan"}},
	}
	maps.Copy(config, changes)
	return config
}

func nics(list ...object) object {
	elements := make([]any, 0, len(list))
	for _, nic := range list {
		if _, ok := nic["vlan_id"]; !ok {
			nic["vlan_id"] = "vlan"
		}
		elements = append(elements, nic)
	}
	return with(object{"nics": elements})
}

func static(address, netmask string, more ...object) object {
	nic := object{"network_type": "IPV4", "ip_address": address, "netmask": netmask}
	for _, m := range more {
		maps.Copy(nic, m)
	}
	return nic
}

func TestValidate_refuses(t *testing.T) {
	t.Parallel()
	many := func(n int, v any) []any { return slices.Repeat([]any{v}, n) }
	cases := map[string]struct {
		config object
		at     string
		want   string
	}{
		"source without an id": {with(object{"source": object{"full_copy": true}}), "source", "Set one of"},
		"two sources":          {with(object{"source": object{"vm_template_id": "a", "vm_snapshot_id": "b"}}), "source.vm_snapshot_id", "vm_template_id and vm_snapshot_id are set"},
		"cloud-init for a clone": {
			with(object{"source": object{"vm_id": "a"}, "cloud_init": object{"hostname": "h"}}), "source.vm_id", "source.vm_id",
		},
		"cloud-init for a clone of an unknown VM": {
			with(object{"source": object{"vm_id": unknown{}}, "cloud_init": object{"hostname": "h"}}), "source.vm_id", "source.vm_id",
		},
		"cloud-init for a rebuilt VM": {
			with(object{"source": object{"vm_snapshot_id": "a"}, "cloud_init": object{"hostname": "h"}}), "source.vm_snapshot_id", "source.vm_snapshot_id",
		},
		"static NIC without address": {nics(object{"network_type": "IPV4", "netmask": "255.255.0.0"}), "nics[0].ip_address", "needs ip_address"},
		"static NIC without netmask": {nics(object{"network_type": "IPV4", "ip_address": "10.0.0.1"}), "nics[0].netmask", "needs netmask"},
		"address on a DHCP NIC":      {nics(object{"ip_address": "10.0.0.1"}), "nics[0].ip_address", "static NICs only"},
		"address that is none":       {nics(static("10.0.0.256", "255.255.0.0")), "nics[0].ip_address", "10.0.0.256"},
		"IPv6 address":               {nics(static("fe80::1", "255.255.0.0")), "nics[0].ip_address", "IPv4"},
		"netmask with a hole":        {nics(static("10.0.0.1", "255.0.255.0")), "nics[0].netmask", "255.0.255.0"},
		"MAC address that is none":   {nics(object{"mac_address": "52:54:00:zz:00:01"}), "nics[0].mac_address", "52:54:00:zz:00:01"},
		"multicast MAC address":      {nics(object{"mac_address": "01:54:00:00:00:01"}), "nics[0].mac_address", "01:54:00:00:00:01"},
		"duplicate MAC addresses": {
			nics(object{"mac_address": "52:54:00:00:00:0a"}, object{"mac_address": "52:54:00:00:00:0A"}), "nics[1].mac_address", "NIC 0 has",
		},
		"duplicate static addresses": {
			nics(static("10.0.0.1", "255.255.0.0"), static("10.0.0.1", "255.255.0.0")), "nics[1].ip_address", "NIC 0 has",
		},
		"gateway outside the network": {nics(static("10.0.0.1", "255.255.255.0", object{"gateway": "10.0.1.1"})), "nics[0].gateway", "10.0.0.0/24"},
		"route's gateway outside the network": {
			nics(static("10.0.0.1", "255.255.255.0", object{"routes": []any{object{"gateway": "10.0.1.1"}}})), "nics[0].routes[0].gateway", "10.0.0.0/24",
		},
		"gateway that is the NIC":   {nics(static("10.0.0.1", "255.255.255.0", object{"gateway": "10.0.0.1"})), "nics[0].gateway", "own address"},
		"network address":           {nics(static("10.0.0.0", "255.255.255.0")), "nics[0].ip_address", "network address"},
		"broadcast address":         {nics(static("10.0.255.255", "255.255.0.0")), "nics[0].ip_address", "broadcast address"},
		"gateway that is broadcast": {nics(static("10.0.0.1", "255.255.255.252", object{"gateway": "10.0.0.3"})), "nics[0].gateway", "broadcast address"},
		"no memory":                 {with(object{"memory_mib": 0}), "memory_mib", "between 1"},
		"memory beyond all":         {with(object{"memory_mib": 1 << 30}), "memory_mib", "between 1"},
		"too many vCPUs":            {with(object{"num_cpus": 2048}), "num_cpus", "between 1"},
		"disks of one name":         {with(object{"data_disks": []any{object{"name": "a", "size_gib": 1}, object{"name": "a", "size_gib": 2}}}), "data_disks[1].name", "called \"a\" already"},
		"one volume twice":          {with(object{"data_disks": []any{object{"name": "a", "volume_id": "v"}, object{"name": "b", "volume_id": "v"}}}), "data_disks[1].volume_id", "already"},
		"disk of no size":           {with(object{"data_disks": []any{object{"name": "a"}}}), "data_disks[0]", "needs size_gib"},
		"empty disk":                {with(object{"data_disks": []any{object{"name": "a", "size_gib": 0}}}), "data_disks[0].size_gib", "between 1"},
		"unknown bus":               {with(object{"system_disk": object{"bus": "SATA"}}), "system_disk.bus", "SATA"},
		"unknown storage policy":    {with(object{"data_disks": []any{object{"name": "a", "size_gib": 1, "storage_policy": "RAID"}}}), "data_disks[0].storage_policy", "RAID"},
		"policy of a source's disk": {with(object{"system_disk": object{"storage_policy": "REPLICA_3_THIN_PROVISION"}}), "system_disk.storage_policy", "comes with the source"},
		"unknown I/O policy":        {with(object{"io_policy": "NONE"}), "io_policy", "NONE"},
		"negative limit":            {with(object{"max_iops": -1}), "max_iops", "between 0"},
		"limit for each disk":       {with(object{"io_policy": "RESTRICT_EACH_DISK", "max_bandwidth": 1}), "max_bandwidth", "limits the VM as a whole"},
		"empty host":                {with(object{"host_id": ""}), "host_id", "at least 1"},
		"unknown guest":             {with(object{"guest_os_type": "BSD"}), "guest_os_type", "BSD"},
		"unknown firmware":          {with(object{"firmware": "EFI"}), "firmware", "EFI"},
		"two default routes":        {nics(object{"default_route": true}, object{"default_route": true}), "nics[1].default_route", "NIC 0 holds"},
		"gateway on a NONE NIC":     {nics(object{"network_type": "NONE", "gateway": "10.0.0.1"}), "nics[0].gateway", "takes no gateway"},
		"waiting for a NONE NIC":    {nics(object{"network_type": "NONE", "wait_for_ip": true}), "nics[0].wait_for_ip", "never gets an address"},
		"waiting for a disabled":    {nics(object{"enabled": false, "wait_for_ip": true}), "nics[0].wait_for_ip", "disabled"},
		"unknown network type":      {nics(object{"network_type": "IPV6"}), "nics[0].network_type", "IPV6"},
		"unknown NIC model":         {nics(object{"model": "RTL8139"}), "nics[0].model", "RTL8139"},
		"17 NICs":                   {with(object{"nics": many(17, object{"vlan_id": "vlan"})}), "nics", "at most 16"},
		"4 nameservers":             {with(object{"cloud_init": object{"nameservers": many(4, "10.0.0.2")}}), "cloud_init.nameservers", "at most 3"},
		"nameserver that is none":   {with(object{"cloud_init": object{"nameservers": []any{"dns"}}}), "cloud_init.nameservers[0]", "dns"},
		"11 public keys":            {with(object{"cloud_init": object{"public_keys": many(11, "ssh-ed25519 AAAA")}}), "cloud_init.public_keys", "at most 10"},
		"user data over 32 KiB": {
			with(object{"cloud_init": object{"user_data": strings.Repeat("x", 32*1024+1)}}), "", "32 KiB",
		},
		"write-only user data over 32 KiB": {
			with(object{"cloud_init": object{"user_data_wo": strings.Repeat("x", 32*1024+1)}}), "", "32 KiB",
		},
		"two kinds of user data": {with(object{"cloud_init": object{"user_data": "a", "user_data_wo": unknown{}}}), "", "user_data and user_data_wo"},
		"version without user data": {
			with(object{"cloud_init": object{"user_data": "a", "user_data_wo_version": 1}}), "", "user_data_wo_version, but no user_data_wo",
		},
		"version without password": {
			with(object{"cloud_init": object{"default_user_password_wo_version": unknown{}}}), "", "default_user_password_wo_version, but no",
		},
		"host name that is none":         {with(object{"cloud_init": object{"hostname": "my_host"}}), "cloud_init.hostname", "host name"},
		"CIDR that is none":              {with(object{"network_readiness": object{"ignored_cidrs": []any{"172.17.0.0"}}}), "network_readiness.ignored_cidrs[0]", "172.17.0.0"},
		"negative settle":                {with(object{"network_readiness": object{"settle": "-1s"}}), "network_readiness.settle", "-1s"},
		"duration that is none":          {with(object{"network_readiness": object{"timeout": "soon"}}), "network_readiness.timeout", "soon"},
		"unknown on_timeout":             {with(object{"network_readiness": object{"on_timeout": "ignore"}}), "network_readiness.on_timeout", "ignore"},
		"empty name":                     {with(object{"name": ""}), "name", "between 1 and 255"},
		"no vCPU":                        {with(object{"num_cpus": 0}), "num_cpus", "between 1"},
		"uneven topology":                {with(object{"num_cpus": 3, "num_cores_per_socket": 2}), "num_cpus", "multiple"},
		"unknown power state":            {with(object{"power_state": "ON"}), "power_state", "ON"},
		"snapshots of a VM that is kept": {with(object{"delete_mode": "RECYCLE_BIN", "delete_snapshots": true}), "delete_snapshots", "keeps its snapshots"},
		"unknown delete mode":            {with(object{"delete_mode": "KEEP"}), "delete_mode", "KEEP"},
		"wait beyond the create":         {with(object{"network_readiness": object{"timeout": "20m"}, "timeouts": object{"create": "10m"}}), "network_readiness.timeout", "longer than timeouts.create"},
		"timeout that is none":           {with(object{"timeouts": object{"create": "ten"}}), "timeouts.create", "ten"},
		"negative shutdown limit":        {with(object{"shutdown_timeout": "-5s"}), "shutdown_timeout", "-5s"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := validate(t, tc.config)
			errors := slices.DeleteFunc(slices.Clone(diags), func(d *tfprotov6.Diagnostic) bool { return d.Severity != tfprotov6.DiagnosticSeverityError })
			if len(errors) != 1 || location(errors[0]) != tc.at || !strings.Contains(errors[0].Summary+errors[0].Detail, tc.want) {
				t.Errorf("not one error, at %s, that contains %q, but:\n%s", tc.at, tc.want, text(diags))
			}
		})
	}
}

func TestValidate_accepts(t *testing.T) {
	t.Parallel()
	cases := map[string]object{
		"the least":                {"name": "web", "cluster_id": "c"},
		"a DHCP NIC by default":    nics(object{}),
		"an uplink of ECP":         nics(object{}, static("240.255.0.1", "255.255.255.255")),
		"the gateway of an uplink": nics(static("240.255.0.1", "255.255.255.255", object{"gateway": "10.255.0.1"})),
		"a network of two":         nics(static("10.0.0.0", "255.255.255.254", object{"gateway": "10.0.0.1"})),
		"gateway in the network":   nics(static("10.255.233.186", "255.255.0.0", object{"gateway": "10.255.0.1"})),
		"unknown address":          nics(object{"network_type": "IPV4", "ip_address": unknown{}, "netmask": unknown{}}),
		"unknown type":             nics(object{"network_type": unknown{}, "ip_address": "10.0.0.1"}),
		"a VM template":            with(object{"source": object{"vm_template_id": "a"}, "cloud_init": object{"hostname": "h"}}),
		"unknown sources":          with(object{"source": object{"vm_template_id": unknown{}, "vm_id": unknown{}}, "cloud_init": object{"hostname": "h"}}),
		"unknown NICs":             with(object{"nics": unknown{}}),
		"unknown route":            nics(static("10.0.0.1", "255.255.255.0", object{"routes": []any{object{"gateway": unknown{}}}})),
		"no NICs":                  with(object{"nics": []any{}}),
		"write-only secrets": with(object{"cloud_init": object{
			"user_data_wo": unknown{}, "user_data_wo_version": 1, "default_user_password_wo": "secret", "default_user_password_wo_version": 2,
		}}),
		"write-only data alone":  with(object{"cloud_init": object{"user_data": nil, "user_data_wo": "a"}}),
		"user data of 32 KiB":    with(object{"cloud_init": object{"user_data": strings.Repeat("x", 32*1024)}}),
		"full domain name":       with(object{"cloud_init": object{"hostname": "web-1.example.com"}}),
		"upper case MAC":         nics(object{"mac_address": "52:54:00:AB:CD:EF"}),
		"wait as long as create": with(object{"network_readiness": object{"timeout": "10m"}, "timeouts": object{"create": "10m"}}),
	}
	for name, config := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diags := validate(t, config); len(diags) > 0 {
				t.Errorf("diagnostics:\n%s", text(diags))
			}
		})
	}
}

func TestValidate_warnsOfUnusualMemory(t *testing.T) {
	t.Parallel()
	for mib, warned := range map[int]bool{512: false, 4096: false, 1000: true} {
		diags := validate(t, with(object{"memory_mib": mib}))
		if found := len(diags) == 1 && diags[0].Severity == tfprotov6.DiagnosticSeverityWarning && location(diags[0]) == "memory_mib"; found != warned {
			t.Errorf("%d MiB: want a warning: %t, got:\n%s", mib, warned, text(diags))
		}
	}
}

func TestValidate_warnsOfIgnoredStaticAddress(t *testing.T) {
	t.Parallel()
	config := nics(object{}, static("240.255.0.1", "255.255.255.255"))
	config["network_readiness"] = object{"ignored_cidrs": []any{"172.17.0.0/16", "240.0.0.0/4"}}
	diags := validate(t, config)
	if len(diags) != 1 || diags[0].Severity != tfprotov6.DiagnosticSeverityWarning || location(diags[0]) != "network_readiness.ignored_cidrs[1]" {
		t.Errorf("want one warning at network_readiness.ignored_cidrs[1], got:\n%s", text(diags))
	}
}

func location(d *tfprotov6.Diagnostic) string {
	var b strings.Builder
	for i, step := range d.Attribute.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			if i > 0 {
				b.WriteString(".")
			}
			b.WriteString(string(step))
		case tftypes.ElementKeyInt:
			fmt.Fprintf(&b, "[%d]", int64(step))
		}
	}
	return b.String()
}

func text(diags []*tfprotov6.Diagnostic) string {
	var b strings.Builder
	for _, d := range diags {
		fmt.Fprintf(&b, "%s %s: %s: %s\n", d.Severity, location(d), d.Summary, d.Detail)
	}
	return b.String()
}

// SPDX-License-Identifier: MPL-2.0

package query

import (
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func typeOf(v any) reflect.Type { return reflect.TypeOf(v) }

// filterTests are filters for VMs, with the ids of those that they find.
var filterTests = []struct{ where, want string }{
	// no filter
	{``, "v1 v2 v3 v4"},
	{`null`, "v1 v2 v3 v4"},
	{`{}`, "v1 v2 v3 v4"},
	// strings
	{`{"name":"db"}`, "v2"},
	{`{"name":"DB"}`, ""},
	{`{"name_not":"db"}`, "v1 v3 v4"},
	{`{"name_in":["db","web-1","x"]}`, "v2 v3"},
	{`{"name_in":[]}`, ""},
	{`{"name_not_in":["db","web-1"]}`, "v1 v4"},
	{`{"name_not_in":[]}`, "v1 v2 v3 v4"},
	{`{"name_lt":"web-1"}`, "v2 v4"},
	{`{"name_lte":"web-1"}`, "v2 v3 v4"},
	{`{"name_gt":"web-1"}`, "v1"},
	{`{"name_gte":"web-1"}`, "v1 v3"},
	{`{"name_contains":"eb-"}`, "v1 v3 v4"},
	{`{"name_contains":""}`, "v1 v2 v3 v4"},
	{`{"name_contains":"%"}`, ""},
	{`{"name_not_contains":"eb-"}`, "v2"},
	{`{"name_starts_with":"web"}`, "v1 v3"},
	{`{"name_not_starts_with":"web"}`, "v2 v4"},
	{`{"name_ends_with":"-3"}`, "v4"},
	{`{"name_not_ends_with":"-3"}`, "v1 v2 v3"},
	// integers, numbers, booleans, enums, times
	{`{"vcpu":4}`, "v3 v4"},
	{`{"vcpu":"4"}`, "v3 v4"},
	{`{"vcpu":4.0}`, "v3 v4"},
	{`{"vcpu_not":4}`, "v1 v2"},
	{`{"vcpu_in":[2,"8"]}`, "v1 v2"},
	{`{"vcpu_not_in":[2,8]}`, "v3 v4"},
	{`{"vcpu_gt":"2","vcpu_lt":8}`, "v3 v4"},
	{`{"memory_gte":4294967296}`, "v2 v3"},
	{`{"memory_lte":2147483648}`, "v1 v4"},
	{`{"cpu_usage":0.5}`, "v3 v4"},
	{`{"cpu_usage_lt":"0.3"}`, "v2"},
	{`{"ha":true}`, "v2 v3"},
	{`{"ha_not":true}`, "v1 v4"},
	{`{"status":"RUNNING"}`, "v2 v3"},
	{`{"status_not":"RUNNING"}`, "v1 v4"},
	{`{"status_in":["STOPPED","UNKNOWN"]}`, "v1 v4"},
	{`{"status_not_in":["STOPPED","UNKNOWN"]}`, "v2 v3"},
	{`{"local_created_at_lt":"2024-01-02T00:00:00Z"}`, "v1"},
	{`{"local_created_at":"2024-01-02T08:00:00+08:00"}`, "v3"},
	{`{"local_created_at_gte":"2024-01-01"}`, "v1 v3"},
	// absent values
	{`{"hostname":null}`, "v1 v4"},
	{`{"hostname_not":null}`, "v2 v3"},
	{`{"hostname_in":null}`, "v1 v4"},
	{`{"hostname_not_in":null}`, "v2 v3"},
	{`{"hostname_not_in":[]}`, "v1 v2 v3 v4"},
	{`{"hostname_contains":null}`, ""},
	{`{"hostname_not":"db.local"}`, "v3"},
	{`{"hostname_not_in":["db.local"]}`, "v3"},
	{`{"NOT":[{"hostname":"db.local"}]}`, "v3"},
	{`{"NOT":[{"hostname":null}]}`, "v2 v3"},
	{`{"entityAsyncStatus":null}`, "v2 v3 v4"},
	{`{"entityAsyncStatus_not":null}`, "v1"},
	{`{"NOT":[{"hostname_gt":"a"},{"ha":true}]}`, ""},
	// logic
	{`{"AND":[{"ha":true},{"vcpu":8}]}`, "v2"},
	{`{"AND":[]}`, "v1 v2 v3 v4"},
	{`{"AND":null,"OR":null,"NOT":null}`, "v1 v2 v3 v4"},
	{`{"OR":[{"vcpu":2},{"name":"db"}]}`, "v1 v2"},
	{`{"OR":[]}`, ""},
	{`{"OR":[{}]}`, "v1 v2 v3 v4"},
	{`{"OR":[{"hostname":"db.local"},{"vcpu":4}]}`, "v2 v3 v4"},
	{`{"NOT":[]}`, "v1 v2 v3 v4"},
	{`{"NOT":[{"ha":true},{"name":"web-2"}]}`, "v4"},
	{`{"NOT":[{"ha":true,"name":"db"}]}`, "v1 v3 v4"},
	{`{"ha":true,"OR":[{"name":"db"},{"name":"web-2"}]}`, "v2"},
	// look-ups
	{`{"id":"v2"}`, "v2"},
	{`{"id":"u2"}`, ""},
	{`{"id_in":["v3","v1","v3","x"]}`, "v1 v3"},
	{`{"local_id":"u2"}`, "v2"},
	{`{"local_id_in":["u2","u4"]}`, "v2 v4"},
	{`{"OR":[{"id":"v2"},{"local_id":"v2"}]}`, "v2"},
	{`{"OR":[{"local_id":"u2"},{"id":"u2"}]}`, "v2"},
	{`{"OR":[{"id":"v2"},{"name":"web-1"}]}`, "v2 v3"},
	{`{"AND":[{"ha":true},{"id_in":["v1","v2"]}]}`, "v2"},
	{`{"id":"v2","ha":false}`, ""},
	// relations
	{`{"host":{"name":"host-a"}}`, "v3"},
	{`{"host":{}}`, "v2 v3"},
	{`{"host":null}`, "v1 v4"},
	{`{"NOT":[{"host":{"name":"host-a"}}]}`, "v1 v2 v4"},
	{`{"host":{"cluster":{"id":"c1"}}}`, "v2 v3"},
	{`{"cluster":{"OR":[{"id":"lc1"},{"local_id":"lc1"}]}}`, "v1 v2 v3"},
	{`{"cluster":{"hosts_some":{"vms_some":{"name":"db"}}}}`, "v1 v2 v3"},
	{`{"folder":{}}`, ""},
	{`{"folder":null}`, "v1 v2 v3 v4"},
	{`{"vm_nics_some":{"ip_address_not":null}}`, "v2 v3"},
	{`{"vm_nics_some":{}}`, "v2 v3"},
	{`{"vm_nics_none":{}}`, "v1 v4"},
	{`{"vm_nics_none":{"order":1}}`, "v1 v2 v4"},
	{`{"vm_nics_every":{"order":0}}`, "v1 v2 v4"},
	{`{"vm_nics_every":{"ip_address":"10.0.0.1"}}`, "v1 v3 v4"},
	{`{"labels_some":{"key":"env","value":"prod"}}`, "v2 v3"},
	{`{"labels_every":{"value":"prod"}}`, "v1 v2 v3 v4"},
	{`{"labels_every":{"value_not":null}}`, "v1 v2 v4"},
	{`{"snapshots_none":{}}`, "v1 v2 v3 v4"},
}

func TestFilters(t *testing.T) {
	t.Parallel()
	plain := sample()
	for _, test := range filterTests {
		t.Run(test.where, func(t *testing.T) {
			t.Parallel()
			for _, src := range []Source{plain, &indexed{inventory: plain}} {
				rows, err := Match(src, wire.EntityVM, []byte(test.where))
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(ids(rows), " "); got != test.want {
					t.Errorf("%T: got %q, want %q", src, got, test.want)
				}
			}
		})
	}
}

func TestBadRequestsNameTheField(t *testing.T) {
	t.Parallel()
	tests := []struct{ where, orderBy, want string }{
		{where: `{"nme":"x"}`, want: "where.nme: unknown filter field"},
		{where: `{"name_like":"x"}`, want: "where.name_like: unknown filter field"},
		{where: `{"_in":[]}`, want: "where._in: unknown filter field"},
		{where: `{"ha_in":[true]}`, want: "where.ha_in: unknown filter field"},
		{where: `{"status_gt":"RUNNING"}`, want: "where.status_gt: unknown filter field"},
		{where: `{"local_created_at_contains":"2"}`, want: "where.local_created_at_contains: unknown filter field"},
		{where: `{"vm_nics":{}}`, want: "where.vm_nics: unknown filter field"},
		{where: `{"host_some":{}}`, want: "where.host_some: unknown filter field"},
		{where: `{"cpu":{}}`, want: "where.cpu: unknown filter field"},
		{where: `{"AND":[{"OR":[{},{"zone":1}]}]}`, want: "where.AND[0].OR[1].zone: unknown filter field"},
		{where: `{"vm_nics_some":{"vlan":{"vds":{"foo":1}}}}`, want: "where.vm_nics_some.vlan.vds.foo: unknown filter field"},
		{where: `{"name":1}`, want: "where.name: expected string"},
		{where: `{"ha":"true"}`, want: "where.ha: expected boolean"},
		{where: `{"vcpu":"two"}`, want: "where.vcpu: expected integer"},
		{where: `{"vcpu":" 2"}`, want: "where.vcpu: expected integer"},
		{where: `{"vcpu":2.5}`, want: "where.vcpu: expected integer"},
		{where: `{"vcpu":[]}`, want: "where.vcpu: expected integer"},
		{where: `{"cpu_usage":"NaN"}`, want: "where.cpu_usage: expected number"},
		{where: `{"status":"ON"}`, want: `where.status: "ON" is not one of DELETED, RUNNING, STOPPED, SUSPENDED, UNKNOWN`},
		{where: `{"status":"RUNNING STOPPED"}`, want: `where.status: "RUNNING STOPPED" is not one of DELETED, RUNNING, STOPPED, SUSPENDED, UNKNOWN`},
		{where: `{"local_created_at":"today"}`, want: `where.local_created_at: expected date-time, not "today"`},
		{where: `{"name_in":"x"}`, want: "where.name_in: expected array"},
		{where: `{"name_in":["x",1]}`, want: "where.name_in[1]: expected string"},
		{where: `{"name_in":[null]}`, want: "where.name_in[0]: null is not allowed in a list"},
		{where: `{"OR":{}}`, want: "where.OR: expected array"},
		{where: `{"OR":[null]}`, want: "where.OR[0]: expected object"},
		{where: `{"host":[]}`, want: "where.host: expected object"},
		{where: `{"vm_nics_some":null}`, want: "where.vm_nics_some: a filter on a to-many relation cannot be null"},
		{where: `[]`, want: "where: expected object"},
		{where: `{"a":`, want: "where: malformed JSON: unexpected EOF"},
		{where: `{} {}`, want: "where: malformed JSON: text after the filter"},
		{orderBy: "name", want: "orderBy: unknown order name"},
		{orderBy: "name_asc", want: "orderBy: unknown order name_asc"},
		{orderBy: "host_ASC", want: "orderBy: unknown order host_ASC"},
		{orderBy: "_DESC", want: "orderBy: unknown order _DESC"},
	}
	for _, test := range tests {
		t.Run(test.where+test.orderBy, func(t *testing.T) {
			t.Parallel()
			req := Request{Where: []byte(test.where)}
			if test.orderBy != "" {
				req.OrderBy = &test.orderBy
			}
			_, err := Find(sample(), wire.EntityVM, req)
			var bad *BadRequest
			if !errors.As(err, &bad) {
				t.Fatalf("the error is %v", err)
			}
			if err.Error() != test.want {
				t.Errorf("got %q, want %q", err, test.want)
			}
		})
	}
}

func TestUnknownEntityIsNotTheClientsFault(t *testing.T) {
	t.Parallel()
	_, err := Find(sample(), "Nothing", Request{})
	var bad *BadRequest
	if err == nil || errors.As(err, &bad) {
		t.Errorf("the error is %v", err)
	}
}

func TestVersionGate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		version, where, orderBy string
		refused                 bool
	}{
		{"4.1.0", `{"bios_uuid":"x"}`, "", true},
		{"4.2.0", `{"bios_uuid":"x"}`, "", false},
		{"", `{"bios_uuid":"x"}`, "", false},
		{"4.5.9", `{"OR":[{"used_size_gt":1}]}`, "", true},
		{"4.6.0-rc.1", `{"used_size_gt":1}`, "", false},
		{"4.0", `{"vm_nics_some":{"type":"VPC"}}`, "", true},
		{"10.0.0", `{"vm_nics_some":{"type":"VPC"}}`, "", false},
		{"2.8.0", `{"host":{"entityAsyncStatus":null}}`, "", true},
		{"2.8.0", `{"entityAsyncStatus":null}`, "", false},
		{"4.1.0", `{}`, "bios_uuid_DESC", true},
		{"4.2.1", `{}`, "bios_uuid_DESC", false},
	}
	for _, test := range tests {
		src := sample()
		src.version = test.version
		req := Request{Where: []byte(test.where)}
		if test.orderBy != "" {
			req.OrderBy = &test.orderBy
		}
		_, err := Find(src, wire.EntityVM, req)
		var bad *BadRequest
		if errors.As(err, &bad) != test.refused || (err != nil) != test.refused {
			t.Errorf("%s on %q: %v", test.where+test.orderBy, test.version, err)
		}
	}
}

func TestSinceNamesFieldsThatExist(t *testing.T) {
	t.Parallel()
	// The API shows these members but neither filters nor orders by them.
	onlyShown := []string{"Vlan.network_ids", "Cluster.default_storage_policy"}
	for entity, fields := range since {
		info := entityByName(entity)
		for name, version := range fields {
			_, filter := info.fields[name]
			_, order := info.order[name]
			if !filter && !order && !slices.Contains(onlyShown, entity+"."+name) {
				t.Errorf("%s.%s is not in the tables", entity, name)
			}
			if !Older("2.8.0", version) || Older("4.6.0", version) {
				t.Errorf("%s.%s since %s", entity, name, version)
			}
		}
	}
}

// The place of each part of a filter is only in the error about it.
func TestDeepFiltersTakeLittleMemory(t *testing.T) {
	const depth = 4000
	where := strings.Repeat(`{"cluster":{"vms_every":`, depth) + `{"nme":"a"}` + strings.Repeat("}}", depth)

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Find(sample(), wire.EntityVM, Request{Where: []byte(where)})
	runtime.ReadMemStats(&after)

	var refusal *BadRequest
	if !errors.As(err, &refusal) || !strings.HasSuffix(refusal.Path, ".cluster.vms_every.nme") {
		t.Fatalf("got %v", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
		t.Errorf("a filter of %d bytes took %d MiB", len(where), took>>20)
	}
}

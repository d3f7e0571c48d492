// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// kind is how the look-ups of one kind of objects are tested.
type kind struct {
	object   string // in messages
	plural   string // the plural data source, if it is not the singular's name with an s
	scenario string // two clusters with objects of the kind in each, if it is not the scenario of all
	// prepare makes what a scenario can't hold.
	prepare func(sim *acctest.Sim)
	// one selects one object by its name, and many select several.
	one, many acctest.Values
	// filters are values of filters that are no results, each of which selects the
	// one object.
	filters func(sim *acctest.Sim) acctest.Values
	// others are values of filters that do not select it, for those that do not take
	// any value.
	others acctest.Values
	// want are results of the one object.
	want acctest.Values
}

const twoClusters = `
inventory:
  clusters:
    - name: prod-east
      hosts: 3
      vlans: [{name: default, dhcp: 10.255.0.0/16}, {name: backup, vlan_id: 12}]
    - name: prod-west
      hosts: 2
      vlans: [{name: default, dhcp: 10.254.0.0/16}]
  content_library_vm_templates:
    - {name: rocky-8, num_cpus: 4, memory_mib: 8192, cloud_init: true, firmware: UEFI}
    - {name: rocky-9, num_cpus: 2, memory_mib: 2048, cloud_init: false}
`

func inEast(sim *acctest.Sim) acctest.Values {
	return acctest.Values{"cluster_id": sim.RowID("get-clusters", map[string]any{"name": "prod-east"})}
}

// kinds are all kinds that can be looked up, by the names of their singular data
// sources.
var kinds = map[string]kind{
	"elf_cluster": {
		object: "cluster", one: acctest.Values{"name": "prod-west"}, many: acctest.Values{"name_contains": "prod"},
		want: acctest.Values{"type": "SMTX_OS", "architecture": "X86_64", "hypervisor": "ELF", "connect_state": "CONNECTED", "host_count": int64(2)},
	},
	"elf_vlan": {
		object: "VM network", one: acctest.Values{"name": "backup"}, many: acctest.Values{"name": "default"},
		filters: inEast, others: acctest.Values{"type": "MANAGEMENT"},
		want: acctest.Values{"vlan_id": int64(12), "type": "VM"},
	},
	"elf_content_library_vm_template": {
		object: "content library VM template", one: acctest.Values{"name": "rocky-8"}, many: acctest.Values{"name_contains": "rocky"},
		filters: inEast,
		want: acctest.Values{
			"num_cpus": int64(4), "memory_mib": int64(8192), "firmware": "UEFI", "cloud_init_supported": true, "architecture": "X86_64",
		},
	},
	"elf_vm_folder": {object: "VM folder", prepare: makeFolders, one: acctest.Values{"name": "shop"}, many: acctest.Values{"name": "web"}},
}

// makeFolders makes a VM folder that is in one cluster, and two of one name.
func makeFolders(sim *acctest.Sim) {
	folder := func(name, cluster string) map[string]any {
		return map[string]any{"name": name, "cluster_id": sim.RowID("get-clusters", map[string]any{"name": cluster})}
	}
	var reply any
	sim.Call("create-vm-folder", []any{folder("shop", "prod-east"), folder("web", "prod-east"), folder("web", "prod-west")}, &reply)
}

// TestLookup_everyKind looks up objects of every registered kind, in every way.
func TestLookup_everyKind(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{}
	for name, k := range kinds {
		k.plural = cmp.Or(k.plural, name+"s")
		tested[name], tested[k.plural] = true, true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, cmp.Or(k.scenario, twoClusters))
			if k.prepare != nil {
				k.prepare(sim)
			}
			l := lookups{kind: k, singular: name, sim: sim, protocol: acctest.NewProtocol(t, sim, nil)}
			l.findsByEachFilter(t)
			l.saysWhatIsNear(t)
			l.saysWhatTellsThemApart(t)
			l.refusesEmptyFilters(t)
			l.listsInOrder(t)
		})
	}
	for _, name := range acctest.NewProtocol(t, acctest.Simulator(t, ""), nil).DataSources() {
		if !tested[name] {
			t.Errorf("%s has no row in the table of kinds", name)
		}
	}
}

type lookups struct {
	kind

	singular string
	sim      *acctest.Sim
	protocol *acctest.Protocol
}

// find reads the singular data source, which must succeed.
func (l lookups) find(t *testing.T, filters acctest.Values) acctest.Values {
	t.Helper()
	found, diags := l.protocol.ReadData(l.singular, filters)
	if text := acctest.Texts(diags); text != "" {
		t.Fatalf("%v: %s", filters, text)
	}
	return found
}

// list reads the plural data source and returns its objects.
func (l lookups) list(t *testing.T, filters acctest.Values) []acctest.Values {
	t.Helper()
	found, diags := l.protocol.ReadData(l.plural, filters)
	if text := acctest.Texts(diags); text != "" {
		t.Fatalf("%v: %s", filters, text)
	}
	elements, ok := found[strings.TrimPrefix(l.plural, "elf_")].([]any)
	if !ok {
		t.Fatalf("%s holds no list: %v", l.plural, found)
	}
	objects := make([]acctest.Values, 0, len(elements))
	for _, element := range elements {
		object, _ := element.(map[string]any)
		objects = append(objects, object)
	}
	return objects
}

// attributes are the filters, or the results, of a data source.
func (l lookups) attributes(name string, picked func(*tfprotov6.SchemaAttribute) bool) []string {
	var names []string
	for _, a := range l.protocol.DataSource(name).Block.Attributes {
		if picked(a) {
			names = append(names, a.Name)
		}
	}
	return names
}

func isFilter(a *tfprotov6.SchemaAttribute) bool { return a.Optional }
func isResult(a *tfprotov6.SchemaAttribute) bool { return a.Computed }

func (l lookups) findsByEachFilter(t *testing.T) {
	object := l.find(t, l.one)
	for name, want := range l.want {
		if !reflect.DeepEqual(object[name], want) {
			t.Errorf("%s is %v, want %v", name, object[name], want)
		}
	}
	name, _ := object["name"].(string)
	values := acctest.Values{"name_contains": name[1:], "name_in": []any{"no such", name}}
	if l.filters != nil {
		maps.Copy(values, l.filters(l.sim))
	}
	selects := func(filters acctest.Values) bool {
		return slices.ContainsFunc(l.list(t, filters), func(found acctest.Values) bool { return found["id"] == object["id"] })
	}
	for _, filter := range l.attributes(l.singular, isFilter) {
		value := cmp.Or(object[filter], values[filter])
		if value == nil {
			t.Errorf("%s is not tested: give it a value in the table of kinds", filter)
			continue
		}
		if found := l.find(t, acctest.Values{"id": object["id"], filter: value}); found["id"] != object["id"] {
			t.Errorf("%s = %v finds %v, want %v", filter, value, found["id"], object["id"])
		}
		if !selects(acctest.Values{filter: value}) {
			t.Errorf("%s = %v does not list %s", filter, value, name)
		}
		if other := cmp.Or(l.others[filter], another(value)); selects(acctest.Values{filter: other}) {
			t.Errorf("%s = %v lists %s", filter, other, name)
		}
	}
	if local, ok := object["local_id"]; ok {
		if found := l.find(t, acctest.Values{"id": local}); found["id"] != object["id"] {
			t.Errorf("the local id %v finds %v, want %v", local, found["id"], object["id"])
		}
	}
}

// another returns another value of the same type.
func another(value any) any {
	switch value := value.(type) {
	case string:
		return value + " not"
	case int64:
		return value + 1
	case bool:
		return !value
	case map[string]any:
		return map[string]any{"no": "such"}
	}
	return []any{"no such"}
}

func (l lookups) saysWhatIsNear(t *testing.T) {
	name, _ := l.one["name"].(string)
	_, diags := l.protocol.ReadData(l.singular, acctest.Values{"name": strings.ToUpper(name)})
	checkOneError(t, diags, wanted{
		"", strings.ToUpper(l.object[:1]) + l.object[1:] + " not found",
		`^Tower has no ` + l.object + ` with name = "` + strings.ToUpper(name) + `"\. The nearest names: "` + name + `".*Check the filters, and that this user can see the ` + l.object + `\.$`,
	})
	if found := l.list(t, acctest.Values{"name": strings.ToUpper(name)}); len(found) > 0 {
		t.Errorf("the list has %v", found)
	}
}

func (l lookups) saysWhatTellsThemApart(t *testing.T) {
	_, diags := l.protocol.ReadData(l.singular, l.many)
	detail := `(?s)^Tower has \d+ .* with .*, but exactly one must be found:`
	for _, found := range l.list(t, l.many) {
		detail += `.*\(id ` + found["id"].(string) + `\), .`
	}
	checkOneError(t, diags, wanted{"", "More than one " + l.object + " found", detail + `.*Narrow the search with .*id\.$`})
}

// refusesEmptyFilters checks that an empty filter, such as a variable that is not
// set, is refused instead of matching every object.
func (l lookups) refusesEmptyFilters(t *testing.T) {
	for _, source := range []string{l.singular, l.plural} {
		for _, a := range l.protocol.DataSource(source).Block.Attributes {
			if !a.Optional || a.Type == nil {
				continue
			}
			empty := acctest.Empty(a.Type)
			if empty == nil {
				continue
			}
			_, diags := l.protocol.ReadData(source, acctest.Values{a.Name: empty})
			if text := acctest.Texts(diags); !strings.Contains(text, a.Name) || !strings.Contains(text, "at least 1") {
				t.Errorf("%s: %s = %v is not refused: %q", source, a.Name, empty, text)
			}
		}
	}
}

// listsInOrder checks the plural data source without a filter.
func (l lookups) listsInOrder(t *testing.T) {
	objects := l.list(t, nil)
	if !slices.IsSortedFunc(objects, func(a, b acctest.Values) int { return cmp.Compare(a["name"].(string), b["name"].(string)) }) {
		t.Errorf("the list is in no order: %v", objects)
	}
	want := slices.Sorted(slices.Values(l.attributes(l.singular, isResult)))
	if got := slices.Sorted(maps.Keys(objects[0])); !slices.Equal(got, want) {
		t.Errorf("the objects have %v, want %v", got, want)
	}
}

// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/provider"
)

func TestAttributes(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(attributesOf([]*tfprotov6.SchemaAttribute{
		{Name: "plain", Type: tftypes.String, Required: true, Description: "A text."},
		{Name: "number", Type: tftypes.Number, Optional: true, Computed: true, Deprecated: true},
		{Name: "list", Type: tftypes.List{ElementType: tftypes.Bool}, Description: "`b`", DescriptionKind: tfprotov6.StringKindMarkdown, Sensitive: true},
		{Name: "map", Type: tftypes.Map{ElementType: tftypes.Set{ElementType: tftypes.String}}, WriteOnly: true},
		{Name: "object", Type: tftypes.Object{AttributeTypes: map[string]tftypes.Type{"a": tftypes.DynamicPseudoType}}},
		{Name: "nested", NestedType: &tfprotov6.SchemaObject{
			Nesting: tfprotov6.SchemaObjectNestingModeSingle, Attributes: []*tfprotov6.SchemaAttribute{{Name: "inner", Type: tftypes.String}},
		}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"list":{"type":["list","bool"],"description":"` + "`b`" + `","description_kind":"markdown","sensitive":true},` +
		`"map":{"type":["map",["set","string"]],"description_kind":"plain","write_only":true},` +
		`"nested":{"nested_type":{"attributes":{"inner":{"type":"string","description_kind":"plain"}},"nesting_mode":"single"},"description_kind":"plain"},` +
		`"number":{"type":"number","description_kind":"plain","deprecated":true,"optional":true,"computed":true},` +
		`"object":{"type":["object",{"a":"dynamic"}],"description_kind":"plain"},` +
		`"plain":{"type":"string","description":"A text.","description_kind":"plain","required":true}}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
}

// TestComplete checks that the kinds on which CLIs agree stay, and that the others
// come from the provider.
func TestComplete(t *testing.T) {
	t.Parallel()
	server := providerserver.NewProtocol6(provider.New("test")())()
	const printed = `{"format_version":"1.0","provider_schemas":{"registry.terraform.io/hashicorp/elf":{"resource_schemas":{"elf_vm":{"version":7}},"list_resource_schemas":{"elf_vm":{"block":{"block_types":{"config":{}}}}}}}}`
	completed, err := complete(t.Context(), []byte(printed), server)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Format  string                               `json:"format_version"`
		Schemas map[string]map[string]map[string]any `json:"provider_schemas"`
	}
	if err := json.Unmarshal(completed, &got); err != nil {
		t.Fatal(err)
	}
	schema := got.Schemas["registry.terraform.io/hashicorp/elf"]
	if got.Format != "1.0" || schema["resource_schemas"]["elf_vm"].(map[string]any)["version"] != 7.0 {
		t.Errorf("what the CLI has printed is lost: %s", completed)
	}
	if schema["action_schemas"]["elf_vm_power"] == nil {
		t.Errorf("the action is missing: %s", completed)
	}
	if list := schema["list_resource_schemas"]["elf_vm"].(map[string]any)["block"].(map[string]any); list["block_types"] != nil || list["attributes"] == nil {
		t.Errorf("the list is %v", list)
	}
	for _, bad := range []string{"", "{}", `{"provider_schemas":{"a":{},"b":{}}}`} {
		if _, err := complete(t.Context(), []byte(bad), server); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// TestKinds checks that each kind of object is there.
func TestKinds(t *testing.T) {
	t.Parallel()
	kinds, err := newerKinds(t.Context(), providerserver.NewProtocol6(provider.New("test")())())
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(kinds)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"action_schemas":{"elf_vm_power":{"block":{"attributes":`,
		`"list_resource_schemas":{"elf_vm":{"block":{"attributes":{"cluster_id":{"type":"string","description":`,
		`"resource_identity_schemas":{"elf_vm":{"version":0,"attributes":{"id":{"type":"string","description":`,
	} {
		if !strings.Contains(string(encoded), want) {
			t.Errorf("%s is not in %s", want, encoded)
		}
	}
}

// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

const olderSource = "smartxworks/cloudtower"

// olderProvider stands in for SmartX's older provider: it knows the schema of
// cloudtower_vm, which the CLI wants for a move, and does nothing.
type olderProvider struct{ asked *atomic.Int32 }

// olderNeighbour is the stand-in, and the count of what it was asked to do.
func olderNeighbour() (acctest.Neighbour, *atomic.Int32) {
	asked := &atomic.Int32{}
	return acctest.Neighbour{Source: olderSource, Server: func() tfprotov6.ProviderServer {
		return providerserver.NewProtocol6(olderProvider{asked: asked})()
	}}, asked
}

func (olderProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "cloudtower"
}
func (olderProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}
func (olderProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}
func (olderProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }
func (p olderProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return olderResource{p.asked, "cloudtower_vm", olderAttributes()} },
		func() resource.Resource {
			return olderResource{p.asked, "cloudtower_vm_snapshot", map[string]attr.Type{"id": types.StringType, "name": types.StringType, "vm_id": types.StringType}}
		},
	}
}

type olderResource struct {
	asked      *atomic.Int32
	name       string
	attributes map[string]attr.Type
}

func (r olderResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.name
}

func (r olderResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema.Attributes = map[string]schema.Attribute{}
	for name, kind := range r.attributes {
		switch kind := kind.(type) {
		case types.ListType:
			resp.Schema.Attributes[name] = schema.ListAttribute{ElementType: kind.ElemType, Optional: true, Computed: true}
		default:
			resp.Schema.Attributes[name] = map[attr.Type]schema.Attribute{
				types.StringType: schema.StringAttribute{Optional: true, Computed: true},
				types.NumberType: schema.NumberAttribute{Optional: true, Computed: true},
				types.BoolType:   schema.BoolAttribute{Optional: true, Computed: true},
			}[kind]
		}
	}
}

func (r olderResource) Create(context.Context, resource.CreateRequest, *resource.CreateResponse) {
	r.asked.Add(1)
}

func (r olderResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {
	r.asked.Add(1)
}

func (r olderResource) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {
	r.asked.Add(1)
}

func (r olderResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
	r.asked.Add(1)
}

// olderAttributes are those of cloudtower_vm. Its blocks are lists of objects in
// the state.
func olderAttributes() map[string]attr.Type {
	text, number, boolean := types.StringType, types.NumberType, types.BoolType
	texts := types.ListType{ElemType: text}
	block := func(attributes map[string]attr.Type) attr.Type {
		return types.ListType{ElemType: types.ObjectType{AttrTypes: attributes}}
	}
	return map[string]attr.Type{
		"id": text, "name": text, "cluster_id": text, "host_id": text, "folder_id": text, "description": text,
		"vcpu": number, "cpu_cores": number, "cpu_sockets": number, "memory": number,
		"ha": boolean, "firmware": text, "guest_os_type": text, "status": text, "force_status_change": boolean,
		"rollback_to": text, "hostname": text, "dns_servers": texts,
		"guest_os_account": block(map[string]attr.Type{"username": text, "password": text}),
		"cd_rom":           block(map[string]attr.Type{"id": text, "boot": number, "iso_id": text}),
		"nic": block(map[string]attr.Type{
			"id": text, "idx": number, "vlan_id": text, "enabled": boolean, "mirror": boolean, "model": text, "mac_address": text,
			"ip_address": text, "subnet_mask": text, "gateway": text,
		}),
		"disk": block(map[string]attr.Type{
			"id": text, "boot": number, "bus": text, "vm_volume_id": text,
			"vm_volume": block(map[string]attr.Type{
				"id": text, "name": text, "size": number, "storage_policy": text, "path": text, "origin_path": text,
			}),
		}),
		"create_effect": block(map[string]attr.Type{
			"clone_from_vm": text, "clone_from_template": text, "clone_from_content_library_template": text, "rebuild_from_snapshot": text,
			"is_full_copy": boolean,
			"cloud_init": block(map[string]attr.Type{
				"hostname": text, "default_user_password": text, "user_data": text, "nameservers": texts, "public_keys": texts,
				"networks": block(map[string]attr.Type{
					"type": text, "nic_index": number, "ip_address": text, "netmask": text,
					"routes": block(map[string]attr.Type{"network": text, "netmask": text, "gateway": text}),
				}),
			}),
		}),
	}
}

// olderState is what the older provider holds of a VM: what Tower shows, and the
// arguments that it does not show.
func olderState(api *towerAPI, name string, arguments body) body {
	api.t.Helper()
	id := api.vmID(name)
	of := body{"where": body{"vm": body{"id": id}}}
	row := post[[]body](api, "get-vms", body{"where": body{"id": id}})[0]
	relation := func(row body, name string) any {
		to, ok := row[name].(map[string]any)
		if !ok {
			return nil
		}
		return to["id"]
	}
	cpu, _ := row["cpu"].(map[string]any)
	state := body{
		"id": id, "name": name, "cluster_id": relation(row, "cluster"), "host_id": relation(row, "host"), "folder_id": relation(row, "folder"),
		"description": row["description"], "vcpu": row["vcpu"], "cpu_cores": cpu["cores"], "cpu_sockets": cpu["sockets"], "memory": row["memory"],
		"ha": row["ha"], "firmware": row["firmware"], "guest_os_type": row["guest_os_type"], "status": row["status"], "force_status_change": nil,
		"rollback_to": nil, "hostname": "", "dns_servers": nil, "guest_os_account": []body{}, "create_effect": []body{},
	}
	var nics, disks, drives []body
	for i, nic := range post[[]body](api, "get-vm-nics", of) {
		nics = append(nics, body{
			"id": nic["id"], "idx": i, "vlan_id": relation(nic, "vlan"), "enabled": nic["enabled"], "mirror": nic["mirror"], "model": nic["model"],
			"mac_address": nic["mac_address"], "ip_address": nic["ip_address"], "subnet_mask": "", "gateway": "",
		})
	}
	for _, disk := range post[[]towerDisk](api, "get-vm-disks", of) {
		if disk.Volume == nil {
			iso := ""
			if disk.Image != nil {
				iso = disk.Image.ID
			}
			drives = append(drives, body{"id": disk.ID, "boot": disk.Boot, "iso_id": iso})
			continue
		}
		volume := post[[]towerVolume](api, "get-vm-volumes", body{"where": body{"id": disk.Volume.ID}})[0]
		disks = append(disks, body{
			"id": disk.ID, "boot": disk.Boot, "bus": disk.Bus, "vm_volume_id": volume.ID,
			"vm_volume": []body{{
				"id": volume.ID, "name": volume.Name, "size": volume.Size, "storage_policy": volume.Policy, "path": "iscsi://" + volume.ID, "origin_path": "",
			}},
		})
	}
	state["nic"], state["disk"], state["cd_rom"] = nics, disks, drives
	for name, value := range arguments {
		state[name] = value
	}
	return state
}

// olderObject is a resource of the older provider in a state file.
type olderObject struct {
	name       string
	key        any // of count or for_each, nil for none
	version    int // of the schema
	attributes body
}

// writeOlderStates writes the state file of somebody who has used the older
// provider, as a CLI writes it.
func writeOlderStates(t *testing.T, cli *acctest.CLI, kind string, objects ...olderObject) {
	t.Helper()
	var resources []body
	byName := map[string]int{}
	for _, object := range objects {
		// The private state is what releases 0.1 leave: null.
		instance := body{"schema_version": object.version, "attributes": object.attributes, "sensitive_attributes": []any{}, "private": "bnVsbA=="}
		at, known := byName[object.name]
		if !known {
			at = len(resources)
			byName[object.name] = at
			resources = append(resources, body{
				"mode": "managed", "type": kind, "name": object.name, "instances": []body{},
				"provider": fmt.Sprintf("provider[%q]", cli.Address(olderSource)),
			})
		}
		if object.key != nil {
			instance["index_key"] = object.key
		}
		instances, _ := resources[at]["instances"].([]body)
		resources[at]["instances"] = append(instances, instance)
	}
	file, err := json.MarshalIndent(body{
		"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "older", "outputs": body{}, "resources": resources, "check_results": nil,
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	cli.Write("terraform.tfstate", string(file))
}

data "elf_vlans" "of_vms" {
  cluster_id = data.elf_cluster.prod.id
  type       = "VM"
}

output "vm_networks" {
  value = { for vlan in data.elf_vlans.of_vms.vlans : vlan.name => vlan.vlan_id }
}

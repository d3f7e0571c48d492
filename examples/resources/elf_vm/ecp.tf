resource "elf_vm" "cp" {
  name       = "sks-cp-0"
  cluster_id = data.elf_cluster.prod.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.rocky.id }
  num_cpus   = 4
  memory_mib = 8192
  nics = [
    # The VM is ready when this NIC has its address.
    { vlan_id = data.elf_vlan.servers.id, network_type = "IPV4_DHCP" },
    # An uplink that has the same address on every VM. That it is reported says nothing about the other NIC.
    { vlan_id = data.elf_vlan.ecp.id, network_type = "IPV4", ip_address = "240.255.0.1", netmask = "255.255.255.255" },
  ]
  network_readiness = {
    timeout    = "20m"
    on_timeout = "warn"
  }
}

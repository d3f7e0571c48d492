resource "elf_vm" "db" {
  name       = "db-0"
  cluster_id = data.elf_cluster.prod.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.rocky.id }
  nics = [
    {
      vlan_id      = data.elf_vlan.servers.id
      network_type = "IPV4"
      ip_address   = "192.0.2.10"
      netmask      = "255.255.255.0"
      gateway      = "192.0.2.1"
    },
  ]
  cloud_init = {
    hostname    = "db-0"
    nameservers = ["192.0.2.53"]
  }
  network_readiness = {
    require_static = true # wait for 192.0.2.10 itself, not for just any address
  }
}

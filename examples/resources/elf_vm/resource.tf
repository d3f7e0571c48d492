data "elf_cluster" "prod" {
  name = "prod-1"
}

data "elf_vlan" "servers" {
  name       = "servers"
  cluster_id = data.elf_cluster.prod.id
}

data "elf_content_library_vm_template" "rocky" {
  name = "rocky-8"
}

resource "elf_vm" "web" {
  name       = "web-0"
  cluster_id = data.elf_cluster.prod.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.rocky.id }
  num_cpus   = 4
  memory_mib = 8192
  nics       = [{ vlan_id = data.elf_vlan.servers.id }]
  cloud_init = {
    hostname    = "web-0"
    public_keys = [file("~/.ssh/id_ed25519.pub")]
  }
}

# The address is known when the VM is created, so nothing else has to wait for it.
output "web_address" {
  value = elf_vm.web.default_ip_address
}

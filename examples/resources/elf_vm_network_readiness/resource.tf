resource "elf_vm" "worker" {
  name              = "worker-0"
  cluster_id        = data.elf_cluster.prod.id
  source            = { content_library_vm_template_id = data.elf_content_library_vm_template.rocky.id }
  nics              = [{ vlan_id = data.elf_vlan.servers.id }]
  network_readiness = { enabled = false } # creating the VM does not wait; the resource below does
}

resource "elf_vm_network_readiness" "worker" {
  vm_id = elf_vm.worker.id
  nics  = elf_vm.worker.nics
  network_readiness = {
    timeout = "10m"
  }
}

output "worker_address" {
  value = elf_vm_network_readiness.worker.default_ip_address
}

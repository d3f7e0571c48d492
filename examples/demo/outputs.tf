output "vms" {
  description = "The addresses of each VM, and how the wait for its network went."
  value = [
    for vm in [elf_vm.control_plane, elf_vm.worker, elf_vm.gateway, elf_vm.database] : {
      name                     = vm.name
      ip_addresses             = vm.ip_addresses
      network_readiness_report = vm.network_readiness_report
    }
  ]
}

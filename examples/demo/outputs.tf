output "vms" {
  description = "What each VM's network looks like, and how its readiness was decided."
  value = [
    for vm in [elf_vm.control_plane, elf_vm.worker, elf_vm.gateway, elf_vm.database] : {
      name                     = vm.name
      ip_addresses             = vm.ip_addresses
      network_readiness_report = vm.network_readiness_report
    }
  ]
}

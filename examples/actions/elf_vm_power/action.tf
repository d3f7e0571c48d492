# Actions need Terraform 1.14. To invoke this one by hand:
#
#   terraform apply -invoke=action.elf_vm_power.stop
action "elf_vm_power" "stop" {
  config {
    vm_id            = elf_vm.web.id
    operation        = "SHUTDOWN"
    shutdown_timeout = "2m"
  }
}

# A change invokes this one: the guest restarts after its settings have changed.
action "elf_vm_power" "restart" {
  config {
    vm_id           = elf_vm.web.id
    operation       = "RESTART"
    force_power_off = false
  }
}

resource "terraform_data" "settings" {
  input = filesha256("settings.yaml")

  lifecycle {
    action_trigger {
      events  = [after_update]
      actions = [action.elf_vm_power.restart]
    }
  }
}

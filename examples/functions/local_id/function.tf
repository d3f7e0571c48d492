terraform {
  required_providers {
    elf = {
      source = "smartxworks/elf"
    }
  }
}

variable "provider_id" {
  description = "spec.providerID of a Kubernetes node."
  type        = string
}

# Imports the VM that the node runs on, by its local id.
import {
  to = elf_vm.worker
  id = provider::elf::local_id(var.provider_id)
}

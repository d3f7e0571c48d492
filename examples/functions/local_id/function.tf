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

# A VM can be imported by its local id: the one that the node runs on.
import {
  to = elf_vm.worker
  id = provider::elf::local_id(var.provider_id)
}

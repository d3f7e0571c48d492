terraform {
  required_providers {
    elf = {
      source = "smartxworks/elf"
    }
  }
}

variable "local_id" {
  description = "Local id of a VM that another tool has created."
  type        = string
}

# The spec.providerID of the VM's Kubernetes node.
output "provider_id" {
  value = provider::elf::provider_id(var.local_id)
}

terraform {
  required_providers {
    elf = { source = "smartxworks/elf" }
  }
}

variable "kubeconfig" {
  description = "Kubeconfig of the cluster that the VM joins; it need not exist yet."
  type        = string
  default     = "kubeconfig.yaml"
}

provider "elf" {
  kubernetes = { config_path = var.kubeconfig }
}

data "elf_cluster" "this" {
  name = "cluster-1"
}

data "elf_content_library_vm_template" "node" {
  name       = "rocky-8"
  cluster_id = data.elf_cluster.this.id
}

data "elf_vlan" "default" {
  name       = "default"
  cluster_id = data.elf_cluster.this.id
}

resource "elf_vm" "this" {
  name       = "single-dhcp-0"
  cluster_id = data.elf_cluster.this.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.node.id }

  nics = [
    { vlan_id = data.elf_vlan.default.id, network_type = "IPV4_DHCP" },
  ]
}

output "address" {
  value = elf_vm.this.default_ip_address
}

output "decided_by" {
  value = elf_vm.this.network_readiness_report.source
}

variable "default_user_password" {
  type      = string
  ephemeral = true
}

# A password that is in neither the plan nor the state. To replace the VM by one
# with another password, raise the version.
resource "elf_vm" "guarded" {
  name       = "guarded"
  cluster_id = data.elf_cluster.prod.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.rocky.id }
  nics       = [{ vlan_id = data.elf_vlan.servers.id }]

  cloud_init = {
    default_user_password_wo         = var.default_user_password
    default_user_password_wo_version = 1
  }
}

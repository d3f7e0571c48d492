# Needs Terraform 1.14. With this block in a file such as vms.tfquery.hcl, the command
#
#   terraform query -generate-config-out=vms.tf
#
# writes a resource block and an import block for each VM in the list.
list "elf_vm" "web" {
  provider         = elf
  include_resource = true
  limit            = 500

  config {
    name_contains = "web-"
    power_state   = "RUNNING"
    labels        = { "team" = "shop" }
  }
}

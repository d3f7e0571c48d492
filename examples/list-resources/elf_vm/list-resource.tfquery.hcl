# Needs Terraform 1.14. In a file such as vms.tfquery.hcl:
#
#   terraform query -generate-config-out=vms.tf
#
# writes a resource and an import block for each VM that is listed.
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

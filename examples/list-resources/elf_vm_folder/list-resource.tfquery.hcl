# Needs Terraform 1.14. In a file such as folders.tfquery.hcl:
#
#   terraform query -generate-config-out=folders.tf
#
# writes a resource and an import block for each VM folder that is listed.
list "elf_vm_folder" "prod" {
  provider         = elf
  include_resource = true

  config {
    cluster_id = "clb3kq7v900010901xq3o8d4f"
  }
}

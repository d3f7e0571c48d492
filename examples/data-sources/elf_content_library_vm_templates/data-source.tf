data "elf_content_library_vm_templates" "rocky" {
  name_contains = "rocky-"
  cluster_id    = data.elf_cluster.prod.id
}

locals {
  # The newest of them.
  newest = reverse(sort([
    for template in data.elf_content_library_vm_templates.rocky.content_library_vm_templates : "${template.created_at} ${template.id}"
  ]))[0]
}

data "elf_content_library_vm_template" "rocky" {
  name       = "rocky-8"
  cluster_id = data.elf_cluster.prod.id
}

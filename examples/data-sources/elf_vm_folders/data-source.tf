data "elf_vm_folders" "prod" {
  cluster_id = data.elf_cluster.prod.id
}

output "folders" {
  value = { for folder in data.elf_vm_folders.prod.vm_folders : folder.name => folder.id }
}

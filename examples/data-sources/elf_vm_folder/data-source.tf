data "elf_vm_folder" "shop" {
  name       = "shop"
  cluster_id = data.elf_cluster.prod.id
}

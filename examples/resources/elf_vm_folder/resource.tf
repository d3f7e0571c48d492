resource "elf_vm_folder" "shop" {
  name       = "shop"
  cluster_id = data.elf_cluster.prod.id
}

resource "elf_vm" "web" {
  name       = "web-0"
  cluster_id = data.elf_cluster.prod.id
  folder_id  = elf_vm_folder.shop.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.rocky.id }
}

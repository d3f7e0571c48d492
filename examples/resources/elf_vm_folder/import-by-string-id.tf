import {
  to = elf_vm_folder.shop
  id = "prod-1/shop"
}

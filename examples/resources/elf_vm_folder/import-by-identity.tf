import {
  to       = elf_vm_folder.shop
  identity = { id = "clb3kq7v900010901xq3o8d4f" }
}

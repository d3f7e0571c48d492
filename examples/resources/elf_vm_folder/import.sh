# By the names of cluster and VM folder, by the VM folder's id in Tower, or by its local id in the cluster:
terraform import elf_vm_folder.shop prod-1/shop
terraform import elf_vm_folder.shop clb3kq7v900010901xq3o8d4f
terraform import elf_vm_folder.shop 5a7f0c9e-5a3c-4a5e-9d0f-0f4e3d2c1b0a

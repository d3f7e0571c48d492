# By the names of the cluster and the VM, by the VM's id in Tower, or by its local id:
terraform import elf_vm.web prod-1/web-0
terraform import elf_vm.web clb3kq7v900010901xq3o8d4f
terraform import elf_vm.web 5a7f0c9e-5a3c-4a5e-9d0f-0f4e3d2c1b0a

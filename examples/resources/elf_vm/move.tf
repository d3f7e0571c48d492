moved {
  from = cloudtower_vm.web
  to   = elf_vm.web
}

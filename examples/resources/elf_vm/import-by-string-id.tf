import {
  to = elf_vm.web
  id = "prod-1/web-0"
}

data "elf_cluster" "prod" {
  name = "prod-1"
}

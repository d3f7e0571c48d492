data "elf_vlan" "servers" {
  name       = "servers"
  cluster_id = data.elf_cluster.prod.id
}

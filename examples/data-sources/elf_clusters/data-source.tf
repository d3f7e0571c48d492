data "elf_clusters" "prod" {
  name_contains = "prod-"
}

output "hosts" {
  value = { for cluster in data.elf_clusters.prod.clusters : cluster.name => cluster.host_count }
}

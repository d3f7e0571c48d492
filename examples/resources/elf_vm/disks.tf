# A VM without a source is blank, so its system disk is new and empty.
resource "elf_vm" "database" {
  name       = "database-0"
  cluster_id = data.elf_cluster.prod.id
  num_cpus   = 4
  memory_mib = 16384
  nics       = [{ vlan_id = data.elf_vlan.servers.id, network_type = "NONE" }]

  system_disk = { size_gib = 60 }
  data_disks = [
    # A new volume. It is deleted when the disk is removed from this list.
    { name = "data", size_gib = 500, storage_policy = "REPLICA_3_THICK_PROVISION" },
    # An existing volume. It is only ever detached, never deleted.
    { name = "archive", volume_id = "clxvol0a1b2c3d4e5f6g7h8i9", bus = "SCSI" },
  ]
}

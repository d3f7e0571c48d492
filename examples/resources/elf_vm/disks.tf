# A VM without a source is blank: its system disk is made anew.
resource "elf_vm" "database" {
  name       = "database-0"
  cluster_id = data.elf_cluster.prod.id
  num_cpus   = 4
  memory_mib = 16384
  nics       = [{ vlan_id = data.elf_vlan.servers.id, network_type = "NONE" }]

  system_disk = { size_gib = 60 }
  data_disks = [
    # Made with the VM, and deleted when it is taken out of the list.
    { name = "data", size_gib = 500, storage_policy = "REPLICA_3_THICK_PROVISION" },
    # A volume that exists: it is detached, never deleted.
    { name = "archive", volume_id = "clxvol0a1b2c3d4e5f6g7h8i9", bus = "SCSI" },
  ]
}

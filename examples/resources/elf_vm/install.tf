# Boots from the image while the system disk is empty, and from the disk
# afterwards. Eject the image with cd_roms = [{}] once the guest is installed.
resource "elf_vm" "installed" {
  name       = "installed-by-hand"
  cluster_id = data.elf_cluster.prod.id
  nics       = [{ vlan_id = data.elf_vlan.servers.id, wait_for_ip = false }]

  system_disk = { size_gib = 60 }
  cd_roms     = [{ iso_id = "clximg0a1b2c3d4e5f6g7h8i9" }]
}

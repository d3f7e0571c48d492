# GPU devices tie the VM to their host.
resource "elf_vm" "trainer" {
  name       = "trainer-0"
  cluster_id = data.elf_cluster.prod.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.rocky.id }
  nics       = [{ vlan_id = data.elf_vlan.servers.id }]

  host_id     = "clxhst0a1b2c3d4e5f6g7h8i9"
  ha          = false
  gpu_devices = [{ gpu_id = "clxgpu0a1b2c3d4e5f6g7h8i9", amount = 2 }]
}

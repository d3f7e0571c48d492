data "elf_cluster" "c" {
  name = "cluster-1"
}

data "elf_vlan" "default" {
  name       = "default"
  cluster_id = data.elf_cluster.c.id
}

data "elf_vlan" "ecp" {
  name       = "ecp"
  cluster_id = data.elf_cluster.c.id
}

data "elf_content_library_vm_template" "t" {
  name = "rocky-8"
}

# A control-plane node as the ECP network plugin needs it: one NIC gets its address by DHCP. The
# other is an uplink that has the same address on every VM, so that address says nothing about
# readiness.
resource "elf_vm" "control_plane" {
  name       = "sks-cp-0"
  cluster_id = data.elf_cluster.c.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.t.id }
  num_cpus   = 4
  memory_mib = 8192
  nics = [
    { vlan_id = data.elf_vlan.default.id, network_type = "IPV4_DHCP" },
    { vlan_id = data.elf_vlan.ecp.id, network_type = "IPV4", ip_address = "240.255.0.1", netmask = "255.255.255.255" },
  ]
}

# One NIC, which gets its address by DHCP.
resource "elf_vm" "worker" {
  name       = "sks-worker-0"
  cluster_id = data.elf_cluster.c.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.t.id }
  nics       = [{ vlan_id = data.elf_vlan.default.id }]
}

# Two DHCP NICs: the VM is ready only when each has an address of its own.
resource "elf_vm" "gateway" {
  name       = "sks-gateway-0"
  cluster_id = data.elf_cluster.c.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.t.id }
  nics = [
    { vlan_id = data.elf_vlan.default.id },
    { vlan_id = data.elf_vlan.default.id },
  ]
}

# A static address, which cloud-init sets in the guest.
resource "elf_vm" "database" {
  name       = "sks-db-0"
  cluster_id = data.elf_cluster.c.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.t.id }
  nics = [
    { vlan_id = data.elf_vlan.default.id, network_type = "IPV4", ip_address = "10.255.233.186", netmask = "255.255.0.0", gateway = "10.255.0.1" },
  ]
  cloud_init = {
    hostname    = "sks-db-0"
    nameservers = ["10.255.0.2"]
  }
}

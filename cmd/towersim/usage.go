// SPDX-License-Identifier: MPL-2.0

package main

// usage is what --help prints.
const usage = `towersim simulates a SmartX CloudTower in memory.

Usage: towersim [--listen 127.0.0.1:0] [--scenario FILE.yaml] [--speed N] [--tls] [--task 2s]

  --listen    address to listen on; port 0 picks a free one
  --scenario  file that says what to simulate, see below
  --speed     how many times faster than real time the simulation runs, at most 100000
  --tls       serve https with a self-made certificate
  --task      duration of a task, instead of the scenario's; 0s: done at the first poll

As soon as it listens, it prints lines to eval in a shell:

  export ELF_SERVER=http://127.0.0.1:40123
  export ELF_USERNAME=root
  export ELF_PASSWORD=tower-sim-password

(and ELF_CA_CERTIFICATE with --tls). Then it logs requests to stderr. SIGTERM and
SIGINT stop it with exit code 0. If the scenario is not valid, it exits with code
2 and a message that names the line and the field.

SCENARIO

All keys are optional. A key that is left out has the value shown here. An unknown
key is an error. Durations are in simulated time.

  version: 4.6.0               # 2.8.0 to 4.8.0
  unique_vm_names: true        # in each cluster
  delete_running: true         # false: deleting a running VM fails its task
  stale_addresses: false       # true: reported addresses survive a power-off
  mfa: false                   # true: only API keys work; log-in by password is refused
  recycle_bin: true
  inventory:
    clusters:
      - name: cluster-1
        hosts: 3               # cluster-1-host-1 and so on, with 1 TiB and 128 cores each; or a list:
                               # [{name: h1, memory_gib: 64, cores: 16, state: MAINTENANCE_MODE}]
        storage_tib: 100
        vlans: [{name: default, dhcp: 10.255.0.0/16}, {name: ecp}]
        gpus: []               # {host: 0, model: A16, usage: PASS_THROUGH}
        isos: [rocky-8.iso]
    content_library_vm_templates:
      - {name: rocky-8, num_cpus: 2, memory_mib: 4096, disk_gib: 40, cloud_init: true}
                               # also firmware: BIOS or UEFI, nics: names of VM networks
    vm_templates: []           # the same keys, and cluster
    vms: []                    # {name, cluster, num_cpus, memory_mib, nics: [default], power: RUNNING}
    users: [{username: root, password: tower-sim-password, source: LOCAL}]
                               # source: LOCAL, LDAP, AUTHN or SSO; api_key: a token that always works
  timing: {task: 2s, boot: 20s, dhcp: 2s, vmtools_sync: 60s}   # vmtools_sync: from the lease to the report
  guests:                      # none; the first match wins; all times count from the power-on
    - match: "ecp-*"           # a glob for the VM's name
      nics:
        - index: 0
          address: 10.255.1.7
          dhcp: 5s             # when the NIC gets its address; or never
          reported: 127s       # when Tower shows it; or never
          link_local_first: true   # Tower shows a 169.254 address until then
          new_lease: false     # true: a different address at each power-on
      kubernetes_node:         # has the VM's name
        registered: 78s
        internal_ip: 10.255.1.7
        provider_id: true      # false: the node has none
      vmtools: running         # or not_running, not_installed
      acpi: true               # false: the guest ignores a shutdown
      powers_off: 30s          # when the guest switches itself off
      extra_ips: []            # addresses that Tower lists although no NIC has them
  faults:                      # none
    - {operation: get-vm-nics, skip: 3, times: 2, status: 500}
    - {operation: get-vms, reset: true}                # the connection drops; reset: after: once the work is done
    - {operation: get-vms, hang: true}                 # no answer
    - {operation: start-vm, locked_for: 10s}           # ResourceLocked, counted from the first request
    - {operation: get-tasks, slow: 3s}                 # alone or with any other effect
    - {operation: get-vms, body: html}                 # the page of a proxy; or garbage, wrong, truncated
    - {operation: start-vm, times: 1, task_error: {code: VM_SCHEDULE_FAILED, message: no host}}
                               # for creations also leaks_volumes: true, orphan: 40s
    - {operation: get-vms, skip: 2, happens: hide_vm, vm: "web-*", for: 30s, after: 0s}

With happens, something changes that the client did not ask for. One VM at a time:
hide_vm (for), change_vm_id, duplicate_vm, delete_vm, recycle_vm, move_vm (host or
cluster), power_off_vm, suspend_vm, set_vm_tools (state). In Tower: set_host_state
(host, state), lose_tasks, revoke_sessions, compact_changes. It happens right
before the request is answered, or later with "after". Without an operation, it
happens without any request. Requests do not count before a matching VM exists.

A guest or NIC that "guests" does not mention follows "timing": the network comes
up after boot, a DHCP lease takes dhcp, and Tower shows the address vmtools_sync
later. A NIC gets an address if its VM network has a DHCP range, if cloud-init
gives it a static one, or if "guests" names one.

CONTROL, in addition to the API

  GET  /                     a page for people: what each VM has done and what it waits for
  GET  /_sim/v1/stats        number of requests by operation
  GET  /_sim/v1/mutations    requests that asked for a change, with the VMs that each one concerns
  POST /_sim/v1/reset        restores the scenario and sets the counts to zero
  POST /_sim/v1/faults       adds faults, a JSON list as above; DELETE removes all faults
  GET  /_sim/v1/vms          what happened to each VM and NIC, and when (real time); also to the
                             newest 10,000 deleted VMs
  GET  /_sim/v1/kubeconfig   for the simulated workload cluster, whose nodes kubectl can read
  GET  /_sim/v1/vpcs         the VPC of each cluster, for NICs of type VPC
  GET  /_sim/v1/operations   what is simulated; everything else answers 501
  POST /_sim/v1/api-keys     {"username": "root"}: makes an API key
`

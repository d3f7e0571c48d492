// SPDX-License-Identifier: MPL-2.0

package main

// usage is what --help prints.
const usage = `towersim simulates a SmartX CloudTower in memory.

Usage: towersim [--listen 127.0.0.1:0] [--scenario FILE.yaml] [--speed N] [--tls] [--task 2s]

  --listen    address to listen on; port 0 picks a free one
  --scenario  file that says what is simulated, see below
  --speed     how many times faster than real time the simulation runs, at most 100000
  --tls       serve https with a certificate of its own
  --task      life of a task, in place of the scenario's; 0s: done at the first poll

Once it listens, it prints lines to eval in a shell:

  export ELF_SERVER=http://127.0.0.1:40123
  export ELF_USERNAME=root
  export ELF_PASSWORD=tower-sim-password

(ELF_CA_CERTIFICATE with --tls), then it logs requests to stderr. SIGTERM and
SIGINT stop it with exit code 0. A scenario that is not valid ends it with exit
code 2 and a message that names line and field.

SCENARIO

All keys are optional, those that are left out have the values shown, unknown
ones are errors. Durations are simulated time.

  version: 4.6.0               # 2.8.0 to 4.8.0
  unique_vm_names: true        # in each cluster
  delete_running: true         # false: deleting a running VM fails its task
  stale_addresses: false       # true: reported addresses survive a power-off
  mfa: false                   # true: only API keys work, no log-in by password
  recycle_bin: true
  inventory:
    clusters:
      - name: cluster-1
        hosts: 3               # cluster-1-host-1 and so on, of 1 TiB and 128 cores each; or a list:
                               # [{name: h1, memory_gib: 64, cores: 16, state: MAINTENANCE_MODE}]
        storage_tib: 100
        vlans: [{name: default, dhcp: 10.255.0.0/16}, {name: ecp}]
        gpus: []               # {host: 0, model: A16, usage: PASS_THROUGH}
        isos: [rocky-8.iso]
    content_library_vm_templates:
      - {name: rocky-8, num_cpus: 2, memory_mib: 4096, disk_gib: 40, cloud_init: true}
                               # firmware: BIOS or UEFI; nics: names of VM networks
    vm_templates: []           # the same members, and cluster
    vms: []                    # {name, cluster, num_cpus, memory_mib, nics: [default], power: RUNNING}
    users: [{username: root, password: tower-sim-password, source: LOCAL}]
                               # source: LOCAL, LDAP, AUTHN or SSO; api_key: a token that always works
  timing: {task: 2s, boot: 20s, dhcp: 2s, vmtools_sync: 60s}   # sync: from the lease to the report
  guests:                      # none; the first match wins; all times count from power-on
    - match: "ecp-*"           # a glob over the VM's name
      nics:
        - index: 0
          address: 10.255.1.7
          dhcp: 5s             # when the NIC has its address; never is allowed
          reported: 127s       # when Tower shows it; never is allowed
          link_local_first: true   # Tower shows a 169.254 address before
          new_lease: false     # true: another address at each power-on
      kubernetes_node:         # called as the VM
        registered: 78s
        internal_ip: 10.255.1.7
        provider_id: true      # false: left empty
      vmtools: running         # or not_running, not_installed
      acpi: true               # false: the guest ignores a shutdown
      powers_off: 30s          # the guest switches itself off
      extra_ips: []            # addresses that Tower lists though no NIC has them
  faults:                      # none
    - {operation: get-vm-nics, skip: 3, times: 2, status: 500}
    - {operation: get-vms, reset: true}                # the connection drops; after: once it is done
    - {operation: get-vms, hang: true}                 # never answered
    - {operation: start-vm, locked_for: 10s}           # ResourceLocked, from the first request on
    - {operation: get-tasks, slow: 3s}                 # with any other effect, or alone
    - {operation: get-vms, body: html}                 # a proxy's page; or garbage, wrong, truncated
    - {operation: start-vm, times: 1, task_error: {code: VM_SCHEDULE_FAILED, message: no host}}
                               # of creations also leaks_volumes: true, orphan: 40s
    - {operation: get-vms, skip: 2, happens: hide_vm, vm: "web-*", for: 30s, after: 0s}

Behind a client's back may happen, to one VM for each strike: hide_vm (for),
change_vm_id, duplicate_vm, delete_vm, recycle_vm, move_vm (host or cluster),
power_off_vm, suspend_vm, set_vm_tools (state); and set_host_state (host, state),
lose_tasks, revoke_sessions, compact_changes. It happens right before the request is answered, or
after a while; without an operation, of its own. Requests count from when there
is a VM that it can befall.

A guest without a line, and a NIC without one, follow "timing": the network comes
up after boot, a DHCP lease takes dhcp, and Tower shows it vmtools_sync later. A
NIC gets an address if its VM network has a DHCP range, if cloud-init gives it a
static one, or if its line names one.

CONTROL, beside the API

  GET  /                     a page for people: what each VM has come to and waits for
  GET  /_sim/v1/stats        counts of requests by operation
  GET  /_sim/v1/mutations    requests that asked for a change, with the VMs that each is about
  POST /_sim/v1/reset        restores the scenario, zeroes the counts
  POST /_sim/v1/faults       adds faults, a JSON list as above; DELETE removes all
  GET  /_sim/v1/vms          what happened to each VM and NIC, and when (real time)
  GET  /_sim/v1/kubeconfig   of the simulated workload cluster, whose nodes kubectl can read
  GET  /_sim/v1/vpcs         the VPC of each cluster, for NICs of type VPC
  GET  /_sim/v1/operations   what is simulated; all else answers 501
  POST /_sim/v1/api-keys     {"username": "root"}: makes an API key
`

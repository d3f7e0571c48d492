// SPDX-License-Identifier: MPL-2.0

package main

// scenario is what the suite expects to find: a cluster of exactly this name
// with a network called default, room for VMs, and a recycle bin. Its waits ask
// once and then every five minutes, so that tasks have to be done when asked
// about; its names repeat within a second.
const scenario = `
unique_vm_names: false
timing: {task: 0s}
inventory:
  clusters:
    - name: xiaojun-502-ELF-nestedX20220426111859
      hosts: 3
      vlans: [{name: default, dhcp: 10.255.0.0/16}]
`

// pending are the specs that the vendor has switched off.
var pending = map[string]string{
	"Vm Api should restart vm":  "switched off by the vendor: it needs a guest that reacts",
	"Vm Api should shutdown vm": "switched off by the vendor: it needs a guest that reacts",
}

// brokenSpec cleans up by asking for the deletion of a LUN snapshot that has the
// id of a LUN. No Tower has that, and the spec takes the first element of the
// empty reply, in a goroutine, which ends the process: so it runs in one of its
// own, and what counts is that the simulator answered what the spec is about.
const (
	brokenSpec      = "Iscsi lun snapshot api should clone iscsi lun from snapshot"
	brokenFocus     = "should clone iscsi lun from snapshot"
	brokenOperation = "clone-iscsi-lun-from-snapshot"
	brokenReason    = "its clean-up deletes a LUN as if it were a snapshot and takes the first element of the empty reply"
	// brokenTrace is what the process says when it ends so.
	brokenTrace = "index out of range [0] with length 0"
)

// deviations are requests of the suite that the vendor's own document forbids.
var deviations = map[string]string{
	"POST /delete-iscsi-lun: request: /data: property \"data\" is missing":                "the suite leaves the required data out",
	"POST /clone-iscsi-lun-from-snapshot: request: /0/name: property \"name\" is missing": "the suite leaves the required name out",
}

// SPDX-License-Identifier: MPL-2.0

package main

// scenario is what the suite expects: a cluster with exactly this name, with a
// network called default, room for VMs and a recycle bin. The suite polls a
// task once and then every five minutes, so tasks must be done at the first
// poll. Its names repeat within a second.
const scenario = `
unique_vm_names: false
timing: {task: 0s}
inventory:
  clusters:
    - name: xiaojun-502-ELF-nestedX20220426111859
      hosts: 3
      vlans: [{name: default, dhcp: 10.255.0.0/16}]
`

// pending are the specs that the vendor has disabled.
var pending = map[string]string{
	"Vm Api should restart vm":  "disabled by the vendor: it needs a guest that reacts",
	"Vm Api should shutdown vm": "disabled by the vendor: it needs a guest that reacts",
}

// brokenSpec cleans up by deleting a LUN snapshot with the id of a LUN. No
// Tower has such a snapshot. In a goroutine, the spec takes the first element
// of the empty reply, which ends the process. So the spec runs in a process of
// its own, and what counts is that the simulator has answered the operation
// that the spec tests.
const (
	brokenSpec      = "Iscsi lun snapshot api should clone iscsi lun from snapshot"
	brokenFocus     = "should clone iscsi lun from snapshot"
	brokenOperation = "clone-iscsi-lun-from-snapshot"
	brokenReason    = "its clean-up deletes a LUN as if it were a snapshot and takes the first element of the empty reply"
	// brokenTrace is in the output of the process when it ends in this way.
	brokenTrace = "index out of range [0] with length 0"
)

// deviations are requests of the suite that the vendor's own document does not
// allow.
var deviations = map[string]string{
	"POST /delete-iscsi-lun: request: /data: property \"data\" is missing":                "the suite omits the required data",
	"POST /clone-iscsi-lun-from-snapshot: request: /0/name: property \"name\" is missing": "the suite omits the required name",
}

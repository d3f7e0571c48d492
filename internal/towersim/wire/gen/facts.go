// SPDX-License-Identifier: MPL-2.0

package main

// firstVersion holds the Tower version that introduced a path. The paths that
// are not listed exist since the oldest version that can be simulated.
var firstVersion = map[string]string{
	"/add-vm-gpu-device": "3.3.0",
	"/add-vm-pci-nic":    "3.3.0",
	"/create-vm-from-content-library-template-batch": "4.4.0",
	"/get-detail-vm-info-by-gpu-devices":             "4.0.0",
	"/get-gpu-devices":                               "3.3.0",
	"/get-gpu-devices-connection":                    "3.3.0",
	"/get-vm-gpu-device-info":                        "4.0.0",
	"/get-vm-vnc-info":                               "4.0.0",
	"/import-content-library-image":                  "4.0.0",
	"/remove-vm-gpu-device":                          "3.3.0",
	"/remove-vm-nic-by-where":                        "3.3.0",
	"/remove-vm-pci-nic":                             "3.3.0",
	"/resource-changes":                              "4.6.0",
	"/update-vm-nic-qos-option":                      "3.2.0",
	"/update-vm-vpc-nic":                             "4.3.0",
}

// relaxed lists members of requests that the document requires but the vendor's
// own client omits.
var relaxed = map[string]bool{
	"IscsiLunCloneParams.name":    true,
	"IscsiLunDeletionParams.data": true,
}

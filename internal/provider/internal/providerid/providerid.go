// SPDX-License-Identifier: MPL-2.0

// Package providerid is the one place that knows what the provider id of an ELF
// VM looks like: the spec.providerID of its Kubernetes node.
package providerid

// Scheme is what every provider id begins with. The VM's local id follows it.
const Scheme = "elf://"

// Of returns the provider id of the VM with this local id.
func Of(localID string) string { return Scheme + localID }

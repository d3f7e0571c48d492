// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"errors"
	"fmt"
	"strings"
)

// advice is what a person can do about the codes of Tower and of the layers below it, the more specific ones first. A code
// counts wherever it appears, because its place differs between versions.
var advice = []struct{ code, sentence string }{
	{"VM_CLOUD_INIT_CONFIG_ERROR", "Correct the cloud-init data: addresses, netmasks and gateways must fit together, and each gateway must lie in its NIC's network."},
	{"VM_DUPLICATED_NAME", "Choose another name, or import the VM that has it; if Tower shows no such VM, the cluster still has one, and Tower will show it within minutes."},
	{"PLACEMENT_GROUP_DUPLICATE_NAME", "Choose another name for the placement group; if Tower shows no such group, it will within a few minutes."},
	{"HostAvailableMemoryFilter", "No host has enough free memory: ask for less, or make room on a host."},
	{"HostAvailableCpuFilter", "No host has enough free CPUs: ask for fewer, or make room on a host."},
	{"PlacementGroupMustFilter", "No host satisfies the placement group's rules: add hosts, or loosen the group."},
	{"PlacementGroupPriorFilter", "No host satisfies the placement group's rules: add hosts, or loosen the group."},
	{"PlacementGroupFilter", "No host satisfies the placement group's rules: add hosts, or loosen the group."},
	{"VM_SCHEDULE_FAILED", "No host can take the VM: check the hosts' state, free memory and networks, and a host_id that may be set."},
	{"EAllocSpace", "The storage of the cluster cannot hold the VM: free space, or choose a policy with fewer replicas. Volumes of failed tries may be left and can be deleted."},
	{"PRECHECK_REQUEST_VGPU_COUNT_MORE_THAN_AVAILABLE", "The GPU has fewer free shares than asked for: stop a VM that uses it, or choose another."},
	{"GPU_ASSIGN_FAILED", "Another VM has taken the GPU: choose another, or stop that VM."},
	{codeShutdownTimeout, "The guest did not react: install the VM tools, or allow powering it off with force_power_off."},
	{"ResourceLocked", "Another operation on the object is under way: wait until Tower shows it idle, then try again."},
}

// Advice returns one sentence on what a person can do about an error of this package, "" where nothing useful is known.
// The texts of *LoginError and *ConfigError say it themselves.
func Advice(err error) string {
	var task *TaskError
	if errors.As(err, &task) {
		return adviceFor(task.Code, task.OuterCode, task.Raw)
	}
	var unknown *AmbiguousError
	if errors.As(err, &unknown) {
		if len(unknown.IDs) > 0 {
			return fmt.Sprintf("Look at these %ss in Tower, and import or delete the one that is not wanted twice, before you apply again.", unknown.Kind)
		}
		return fmt.Sprintf("Look in Tower for the %s in a minute or two before you apply again; if it is there, import it.", unknown.Kind)
	}
	var call *Error
	if !errors.As(err, &call) {
		return ""
	}
	if s := adviceFor(call.Code, call.Message); s != "" {
		return s
	}
	switch {
	case call.HTTPStatus == 403:
		return "The user lacks the right for this operation; give its role more rights, or use another user."
	case call.Class == ClassUnauthorized:
		return "Tower no longer accepts the session; check the credentials."
	case call.Class == ClassLocked:
		return "Another operation on the object is under way: wait until Tower shows it idle, then try again."
	case call.HTTPStatus == 0 && call.Class == ClassTransient:
		return "Check the network to Tower and Tower's health, then apply again; what was done is kept."
	case call.Class == ClassTransient:
		return "Tower has trouble at the moment; apply again later, what was done is kept."
	case call.HTTPStatus == 404 && call.Class == ClassNotFound:
		return "One of the objects that the operation names does not exist; check the ids of cluster, template, network, folder and host."
	}
	return ""
}

// adviceFor returns the sentence for the first code that is in one of the texts.
func adviceFor(texts ...string) string {
	all := strings.Join(texts, "\n")
	for _, a := range advice {
		if strings.Contains(all, a.code) {
			return a.sentence
		}
	}
	return ""
}

// SPDX-License-Identifier: MPL-2.0

package vmpower_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/vmpower"
)

// vms has one VM for each test case, in the state in which the case begins.
const vms = `
inventory:
  clusters: [{name: cluster-1, vlans: [{name: default, dhcp: 10.255.0.0/16}]}]
  vms:
    - {name: start-off, cluster: cluster-1, nics: [default], power: STOPPED}
    - {name: start-on, cluster: cluster-1, nics: [default], power: RUNNING}
    - {name: start-asleep, cluster: cluster-1, nics: [default], power: RUNNING}
    - {name: shutdown-on, cluster: cluster-1, nics: [default], power: RUNNING}
    - {name: shutdown-off, cluster: cluster-1, nics: [default], power: STOPPED}
    - {name: shutdown-asleep, cluster: cluster-1, nics: [default], power: RUNNING}
    - {name: shutdown-asleep-kept, cluster: cluster-1, nics: [default], power: RUNNING}
    - {name: shutdown-deaf, cluster: cluster-1, nics: [default], power: RUNNING}
    - {name: shutdown-deaf-kept, cluster: cluster-1, nics: [default], power: RUNNING}
    - {name: off-on, cluster: cluster-1, nics: [default], power: RUNNING}
    - {name: off-off, cluster: cluster-1, nics: [default], power: STOPPED}
    - {name: off-asleep, cluster: cluster-1, nics: [default], power: RUNNING}
    - {name: restart-on, cluster: cluster-1, nics: [default], power: RUNNING}
    - {name: restart-off, cluster: cluster-1, nics: [default], power: STOPPED}
    - {name: restart-asleep, cluster: cluster-1, nics: [default], power: RUNNING}
    - {name: restart-deaf, cluster: cluster-1, nics: [default], power: RUNNING}
    - {name: restart-deaf-kept, cluster: cluster-1, nics: [default], power: RUNNING}
    - {name: reset-on, cluster: cluster-1, nics: [default], power: RUNNING}
    - {name: reset-off, cluster: cluster-1, nics: [default], power: STOPPED}
    - {name: reset-asleep, cluster: cluster-1, nics: [default], power: RUNNING}
guests: [{match: "*-deaf*", acpi: false}]
`

// id returns the id of a VM in the simulator, by its name.
func id(sim *acctest.Sim, name string) string {
	return sim.RowID("get-vms", map[string]any{"name": name})
}

// status returns the power state that Tower shows.
func status(sim *acctest.Sim, vmID string) any {
	return sim.Rows("get-vms", map[string]any{"id": vmID})[0]["status"]
}

// sent returns the changes to a VM that were requested from Tower.
func sent(sim *acctest.Sim, vmID string) string {
	var operations []string
	for _, m := range sim.Server().Mutations() {
		if m.About(vmID) {
			operations = append(operations, m.Operation)
		}
	}
	return strings.Join(operations, " ")
}

// text returns the summaries and details of the diagnostics.
func text(diags []*tfprotov6.Diagnostic) string {
	var lines []string
	for _, d := range diags {
		lines = append(lines, d.Severity.String()+": "+d.Summary+": "+d.Detail)
	}
	return strings.Join(lines, "\n")
}

// TestInvoke carries out each operation from each state.
func TestInvoke(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, vms, acctest.WithSpeed(50))
	provider := acctest.NewProtocol(t, sim, nil)
	for _, name := range []string{"start-asleep", "shutdown-asleep", "shutdown-asleep-kept", "off-asleep", "restart-asleep", "reset-asleep"} {
		if err := sim.Server().SuspendGuest(name); err != nil {
			t.Fatal(err)
		}
	}
	cases := map[string]struct {
		operation, status, sent string
		keep                    bool   // force_power_off = false
		said                    string // a pattern of the messages, one on a line, without the VM that each begins with
		err                     string // a pattern of the error
	}{
		"start-off":       {"START", "RUNNING", "start-vm", false, `is being started\nis running`, ""},
		"start-on":        {"START", "RUNNING", "", false, `is running already, so nothing is done`, ""},
		"start-asleep":    {"START", "RUNNING", "resume-vm", false, `is being resumed\nis running`, ""},
		"shutdown-on":     {"SHUTDOWN", "STOPPED", "shutdown-vm", false, `is being shut down: its guest is asked to, and may take 1m0s\nis stopped`, ""},
		"shutdown-off":    {"SHUTDOWN", "STOPPED", "", false, `is stopped already, so nothing is done`, ""},
		"shutdown-asleep": {"SHUTDOWN", "STOPPED", "poweroff-vm", false, `is being powered off, because it is suspended\nis stopped`, ""},
		"shutdown-asleep-kept": {
			"SHUTDOWN", "SUSPENDED", "", true, ``,
			`Unable to shut down VM "shutdown-asleep-kept": VM \S+: it is suspended, so its guest can't shut down.*START it first`,
		},
		"shutdown-deaf": {
			"SHUTDOWN", "STOPPED", "shutdown-vm poweroff-vm", false,
			`is being shut down: .*\nis powered off, because its guest did not shut down \(.*JOB_VM_SHUTDOWN_TIMEOUT.*\)\nis stopped`, "",
		},
		"shutdown-deaf-kept": {
			"SHUTDOWN", "RUNNING", "shutdown-vm", true, `is being shut down: .*`,
			`Unable to shut down VM "shutdown-deaf-kept": (?s:.*)powering it off is not allowed(?s:.*)Code: JOB_VM_SHUTDOWN_TIMEOUT(?s:.*)force_power_off`,
		},
		"off-on":         {"POWER_OFF", "STOPPED", "poweroff-vm", false, `is being powered off\nis stopped`, ""},
		"off-off":        {"POWER_OFF", "STOPPED", "", false, `is stopped already, so nothing is done`, ""},
		"off-asleep":     {"POWER_OFF", "STOPPED", "poweroff-vm", false, `is being powered off\nis stopped`, ""},
		"restart-on":     {"RESTART", "RUNNING", "restart-vm", false, `is being restarted: its guest is asked to, and may take 1m0s\nhas restarted`, ""},
		"restart-off":    {"RESTART", "RUNNING", "start-vm", false, `is being started, because it was stopped\nis running`, ""},
		"restart-asleep": {"RESTART", "RUNNING", "resume-vm restart-vm", false, `is being restarted: .*\nhas restarted`, ""},
		"restart-deaf": {
			"RESTART", "RUNNING", "restart-vm force-restart-vm", false,
			`is being restarted: .*\nis reset, because its guest did not restart \(.*JOB_VM_SHUTDOWN_TIMEOUT.*\)\nhas restarted`, "",
		},
		"restart-deaf-kept": {
			"RESTART", "RUNNING", "restart-vm", true, `is being restarted: .*`,
			`Unable to restart VM "restart-deaf-kept": (?s:.*)resetting it is not allowed(?s:.*)Code: JOB_VM_SHUTDOWN_TIMEOUT`,
		},
		"reset-on":     {"FORCE_RESTART", "RUNNING", "force-restart-vm", false, `is being reset\nhas restarted`, ""},
		"reset-off":    {"FORCE_RESTART", "RUNNING", "start-vm", false, `is being started, because it was stopped\nis running`, ""},
		"reset-asleep": {"FORCE_RESTART", "RUNNING", "poweroff-vm start-vm", false, `is being reset\nhas restarted`, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vmID := id(sim, name)
			config := acctest.Values{"vm_id": vmID, "operation": tc.operation}
			if tc.operation == "SHUTDOWN" || tc.operation == "RESTART" {
				config["shutdown_timeout"] = "1m"
			}
			if tc.keep {
				config["force_power_off"] = false
			}
			said, diags := provider.InvokeAction(t.Context(), vmpower.ActionType, config, nil)
			if got := text(diags); tc.err == "" && got != "" || !regexp.MustCompile(tc.err).MatchString(got) {
				t.Errorf("diagnostics %q, want %q", got, tc.err)
			}
			begin := `VM "` + name + `" (` + vmID + `) `
			for i, message := range said {
				if !strings.HasPrefix(message, begin) {
					t.Errorf("%q does not say which VM", message)
				}
				said[i] = strings.TrimPrefix(message, begin)
			}
			if got := strings.Join(said, "\n"); !regexp.MustCompile(`^(?:` + tc.said + `)$`).MatchString(got) {
				t.Errorf("said %q, want %q", got, tc.said)
			}
			if got := sent(sim, vmID); got != tc.sent {
				t.Errorf("sent %q, want %q", got, tc.sent)
			}
			if got := status(sim, vmID); got != tc.status {
				t.Errorf("the VM is %v, want %s", got, tc.status)
			}
		})
	}
}

// TestInvoke_byLocalID names the VM by its local id.
func TestInvoke_byLocalID(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, vms)
	vm := sim.Rows("get-vms", map[string]any{"name": "start-off"})[0]
	said, diags := acctest.NewProtocol(t, sim, nil).InvokeAction(t.Context(), vmpower.ActionType,
		acctest.Values{"vm_id": vm["local_id"], "operation": "START"}, nil)
	if len(diags) > 0 || status(sim, vm["id"].(string)) != "RUNNING" {
		t.Errorf("said %q: %s", said, text(diags))
	}
}

// TestMissing checks that a VM that does not exist is refused at plan and when
// the action is invoked, and that an id that is not known yet is not looked up.
func TestMissing(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, vms)
	provider := acctest.NewProtocol(t, sim, nil)
	gone, binned := id(sim, "off-on"), id(sim, "off-off")
	if err := sim.Server().DeleteVM("off-on"); err != nil {
		t.Fatal(err)
	}
	if err := sim.Server().MoveToRecycleBin("off-off"); err != nil {
		t.Fatal(err)
	}
	for vmID, want := range map[string]string{
		gone:    `VM not found: Tower has no VM with the id "` + gone + `"`,
		"web-1": `VM not found: Tower has no VM with the id "web-1"`,
		binned:  `Unable to start VM "off-off": VM ` + binned + ` is in Tower's recycle bin; restore it there first`,
	} {
		config := acctest.Values{"vm_id": vmID, "operation": "START"}
		_, invoked := provider.InvokeAction(t.Context(), vmpower.ActionType, config, nil)
		for stage, diags := range map[string][]*tfprotov6.Diagnostic{"plan": provider.PlanAction(vmpower.ActionType, config), "invocation": invoked} {
			if got := text(diags); len(diags) != 1 || !strings.Contains(got, want) || diags[0].Attribute.String() != `AttributeName("vm_id")` {
				t.Errorf("%s: diagnostics %q at %v, want %q", stage, got, diags[0].Attribute, want)
			}
		}
	}
	if got := sim.Server().Mutations(); len(got) > 0 {
		t.Errorf("Tower was asked for %v", got)
	}
	before := sim.Server().Stats().Total
	if diags := provider.PlanAction(vmpower.ActionType, acctest.Values{"vm_id": acctest.Unknown{}, "operation": "START"}); len(diags) > 0 {
		t.Error(text(diags))
	}
	if n := sim.Server().Stats().Total - before; n > 0 {
		t.Errorf("%d requests for a VM whose id is not known yet", n)
	}
	if diags := provider.PlanAction(vmpower.ActionType, acctest.Values{"vm_id": id(sim, "start-on"), "operation": "START"}); len(diags) > 0 {
		t.Error(text(diags))
	}
}

// TestValidation checks that errors are attached to the attribute at fault.
func TestValidation(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, vms)
	provider := acctest.NewProtocol(t, sim, nil)
	vmID := id(sim, "start-on")
	cases := map[string]struct {
		config          acctest.Values
		attribute, want string
	}{
		"no VM":                {acctest.Values{"vm_id": "", "operation": "START"}, "vm_id", "at least 1"},
		"operation":            {acctest.Values{"vm_id": vmID, "operation": "start"}, "operation", "value must be one of"},
		"time of a power off":  {acctest.Values{"vm_id": vmID, "operation": "POWER_OFF", "shutdown_timeout": "1m"}, "shutdown_timeout", "POWER_OFF does not ask the guest"},
		"force of a start":     {acctest.Values{"vm_id": vmID, "operation": "START", "force_power_off": false}, "force_power_off", "START does not ask the guest"},
		"time of a reset":      {acctest.Values{"vm_id": vmID, "operation": "FORCE_RESTART", "shutdown_timeout": acctest.Unknown{}}, "shutdown_timeout", "FORCE_RESTART does not"},
		"no time":              {acctest.Values{"vm_id": vmID, "operation": "SHUTDOWN", "shutdown_timeout": "0s"}, "shutdown_timeout", "shorter than 1s"},
		"no duration":          {acctest.Values{"vm_id": vmID, "operation": "SHUTDOWN", "shutdown_timeout": "soon"}, "shutdown_timeout", "not a duration"},
		"longer than it takes": {acctest.Values{"vm_id": vmID, "operation": "RESTART", "shutdown_timeout": "21m"}, "shutdown_timeout", "only 20m0s"},
		"longer than allowed": {
			acctest.Values{"vm_id": vmID, "operation": "RESTART", "shutdown_timeout": "2m", "timeouts": map[string]any{"invoke": "1m"}}, "shutdown_timeout", "only 1m0s",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := provider.PlanAction(vmpower.ActionType, tc.config)
			if got := text(diags); len(diags) != 1 || !strings.Contains(got, tc.want) {
				t.Fatalf("diagnostics %q, want one that says %q", got, tc.want)
			}
			if want := tftypes.NewAttributePath().WithAttributeName(tc.attribute); !diags[0].Attribute.Equal(want) {
				t.Errorf("at %s, want %s", diags[0].Attribute, want)
			}
		})
	}
	for name, config := range map[string]acctest.Values{
		"all":               {"vm_id": vmID, "operation": "SHUTDOWN", "shutdown_timeout": "2m", "force_power_off": false, "timeouts": map[string]any{"invoke": "3m"}},
		"operation unknown": {"vm_id": vmID, "operation": acctest.Unknown{}, "shutdown_timeout": "2m"},
		"timeouts unknown":  {"vm_id": vmID, "operation": "SHUTDOWN", "shutdown_timeout": "2h", "timeouts": acctest.Unknown{}},
	} {
		if diags := provider.PlanAction(vmpower.ActionType, config); len(diags) > 0 {
			t.Errorf("%s: %s", name, text(diags))
		}
	}
}

// TestInvoke_locked checks that the action waits for another operation on the VM,
// and says so.
func TestInvoke_locked(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, vms, acctest.WithSpeed(10))
	vmID := id(sim, "start-off")
	// The VM is busy with this for two simulated seconds.
	sim.Call("update-vm-basic-info", map[string]any{"where": map[string]any{"id": vmID}, "data": map[string]any{"description": "busy"}}, &[]any{})
	said, diags := acctest.NewProtocol(t, sim, nil).InvokeAction(t.Context(), vmpower.ActionType, acctest.Values{"vm_id": vmID, "operation": "START"}, nil)
	if len(diags) > 0 || status(sim, vmID) != "RUNNING" {
		t.Errorf("the VM is %v: %s", status(sim, vmID), text(diags))
	}
	if !slices.ContainsFunc(said, func(m string) bool { return strings.Contains(m, "busy with another operation (UPDATING)") }) {
		t.Errorf("said %q", said)
	}
}

// TestInvoke_cancelled checks that the action ends soon after Ctrl-C and says
// what that means.
func TestInvoke_cancelled(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, vms, acctest.WithSpeed(0.001))
	provider := acctest.NewProtocol(t, sim, nil)
	stop := func(string) {
		if _, err := provider.Server().StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
			t.Error(err)
		}
	}
	_, diags := provider.InvokeAction(t.Context(), vmpower.ActionType, acctest.Values{"vm_id": id(sim, "off-on"), "operation": "POWER_OFF"}, stop)
	if got := text(diags); !regexp.MustCompile(`Unable to power off VM "off-on": VM \S+: cancelled, but Tower may still complete the operation`).MatchString(got) {
		t.Errorf("diagnostics %q", got)
	}
}

// TestInvoke_timeout checks that timeouts.invoke is obeyed.
func TestInvoke_timeout(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, vms, acctest.WithSpeed(0.001))
	_, diags := acctest.NewProtocol(t, sim, nil).InvokeAction(t.Context(), vmpower.ActionType, acctest.Values{
		"vm_id": id(sim, "off-on"), "operation": "POWER_OFF", "timeouts": map[string]any{"invoke": "500ms"},
	}, nil)
	if got := text(diags); !regexp.MustCompile(`Unable to power off VM "off-on": (?s:.*)The time that the timeouts argument allows has run out`).MatchString(got) {
		t.Errorf("diagnostics %q", got)
	}
}

// TestInvoke_refused checks that Tower's own words reach the user.
func TestInvoke_refused(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, vms+`faults: [{operation: start-vm, task_error: {code: HostAvailableMemoryFilter, message: no host is left}}]`)
	_, diags := acctest.NewProtocol(t, sim, nil).InvokeAction(t.Context(), vmpower.ActionType, acctest.Values{"vm_id": id(sim, "start-off"), "operation": "START"}, nil)
	if got := text(diags); !regexp.MustCompile(`Unable to start VM "start-off": (?s:.*)no host is left(?s:.*)Task: \S+(?s:.*)No host has enough free memory`).MatchString(got) {
		t.Errorf("diagnostics %q", got)
	}
}

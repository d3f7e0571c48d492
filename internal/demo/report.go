// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// outputs are the output values of the configuration, as `output -json` prints
// them.
type outputs struct {
	VMs struct {
		Value []vm `json:"value"`
	} `json:"vms"`
}

type vm struct {
	Name        string   `json:"name"`
	IPAddresses []string `json:"ip_addresses"`
	Report      struct {
		Source string `json:"source"`
		Waited string `json:"waited"`
	} `json:"network_readiness_report"`
}

// report returns one line for each VM: its name, its addresses, how long the wait
// took and what made the VM ready. A VM without an address is an error.
func report(outputJSON []byte) ([]string, error) {
	var out outputs
	if err := json.Unmarshal(outputJSON, &out); err != nil {
		return nil, fmt.Errorf("reading the outputs: %w", err)
	}
	if len(out.VMs.Value) == 0 {
		return nil, errors.New(`the configuration has no output "vms"`)
	}
	lines := make([]string, 0, len(out.VMs.Value))
	for _, vm := range out.VMs.Value {
		if len(vm.IPAddresses) == 0 {
			return nil, fmt.Errorf("VM %q has no address", vm.Name)
		}
		lines = append(lines, strings.Join([]string{vm.Name, strings.Join(vm.IPAddresses, ","), vm.Report.Waited, vm.Report.Source}, " "))
	}
	return lines, nil
}

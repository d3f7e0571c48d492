// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// VMs returns the VMs that the test has created and that still exist, in the
// order of their creation.
func (s *Sim) VMs() []towersim.VMReport {
	s.t.Helper()
	var created []towersim.VMReport
	for _, vm := range s.Server().VMs() {
		if vm.DeletedAt == nil && !s.initial[vm.ID] {
			created = append(created, vm)
		}
	}
	return created
}

// CheckNoVMs is a CheckDestroy that fails if any VM that the test has created
// still exists.
func (s *Sim) CheckNoVMs(state *terraform.State) error {
	if s.server == nil {
		return checkDestroyed(state)
	}
	var left []string
	for _, vm := range s.VMs() {
		left = append(left, fmt.Sprintf("%s (%s)", vm.Name, vm.ID))
	}
	if len(left) > 0 {
		return fmt.Errorf("VMs still exist: %s", strings.Join(left, ", "))
	}
	return nil
}

// checkDestroyed asks a real Tower for each VM of the state.
func checkDestroyed(state *terraform.State) error {
	client, err := realTower()
	if err != nil {
		return err
	}
	for address, object := range state.RootModule().Resources {
		if object.Type != "elf_vm" {
			continue
		}
		switch vm, err := client.VM(context.Background(), object.Primary.ID); {
		case errors.Is(err, tower.ErrNotFound):
		case err != nil:
			return fmt.Errorf("checking that %s is deleted: %w", address, err)
		default:
			return fmt.Errorf("%s still exists: %s (%s)", address, vm.Name, vm.ID)
		}
	}
	return nil
}

// ExpectVM checks that the VM at the address exists in Tower and has the id,
// local id and name that are in the state.
func (s *Sim) ExpectVM(address string) statecheck.StateCheck { return expectVM{s, address} }

type expectVM struct {
	sim     *Sim
	address string
}

func (e expectVM) CheckState(ctx context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	if req.State == nil || req.State.Values == nil || req.State.Values.RootModule == nil {
		resp.Error = errors.New("there is no state")
		return
	}
	for _, object := range req.State.Values.RootModule.Resources {
		if object.Address == e.address {
			resp.Error = e.compare(ctx, object.AttributeValues)
			return
		}
	}
	resp.Error = fmt.Errorf("%s is not in the state", e.address)
}

func (e expectVM) compare(ctx context.Context, attributes map[string]any) error {
	want := map[string]string{}
	for _, name := range []string{"id", "local_id", "name"} {
		value, ok := attributes[name].(string)
		if !ok {
			return fmt.Errorf("%s has no %s in the state", e.address, name)
		}
		want[name] = value
	}
	got, err := e.sim.find(ctx, want["id"])
	if err != nil {
		return fmt.Errorf("%s: %w", e.address, err)
	}
	for name, value := range got {
		if value != want[name] {
			return fmt.Errorf("%s has %s %q in Tower and %q in the state", e.address, name, value, want[name])
		}
	}
	return nil
}

// find looks up a VM in Tower. It asks the simulator itself, not its API; a real
// Tower is asked with the provider's client.
func (s *Sim) find(ctx context.Context, id string) (map[string]string, error) {
	if s.server == nil {
		client, err := realTower()
		if err != nil {
			return nil, err
		}
		vm, err := client.VM(ctx, id)
		if err != nil {
			return nil, err
		}
		return map[string]string{"id": vm.ID, "local_id": vm.LocalID, "name": vm.Name}, nil
	}
	for _, vm := range s.VMs() {
		if vm.ID == id {
			return map[string]string{"id": vm.ID, "local_id": vm.LocalID, "name": vm.Name}, nil
		}
	}
	return nil, fmt.Errorf("no VM in Tower has the id %q", id)
}

// realTower returns a client for the Tower that the environment names.
func realTower() (*tower.Client, error) {
	insecure, err := strconv.ParseBool(cmp.Or(os.Getenv("ELF_INSECURE"), "false"))
	if err != nil {
		return nil, fmt.Errorf("ELF_INSECURE: %w", err)
	}
	cfg := tower.Config{
		Server: os.Getenv(envServer), APIToken: os.Getenv("ELF_API_TOKEN"), CACertificate: os.Getenv("ELF_CA_CERTIFICATE"),
		Insecure: insecure, MaxRetries: 5,
	}
	if cfg.APIToken == "" {
		cfg.Username, cfg.Password = os.Getenv("ELF_USERNAME"), os.Getenv("ELF_PASSWORD")
		cfg.UserSource, cfg.AuthConfigID = os.Getenv("ELF_USER_SOURCE"), os.Getenv("ELF_AUTH_CONFIG_ID")
	}
	return tower.New(cfg)
}

// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// scenarioFile is the simulator's scenario, beside the configuration.
const scenarioFile = "towersim.yaml"

// workspace is a temporary folder with a copy of the configuration, and with a
// CLI configuration that makes the CLI use the provider that was built.
type workspace struct {
	dir       string
	simulator string // path of the simulator's binary
}

// newWorkspace copies the configuration and the scenario, so that no state or
// lock file is written to the repository.
func newWorkspace(config, bin string) (*workspace, error) {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return nil, fmt.Errorf("finding the binaries: %w", err)
	}
	dir, err := os.MkdirTemp("", "elf-demo-")
	if err != nil {
		return nil, fmt.Errorf("creating a temporary folder: %w", err)
	}
	ws := &workspace{dir: dir, simulator: filepath.Join(bin, "towersim")}
	if err := ws.fill(config, bin); err != nil {
		return nil, errors.Join(err, ws.remove())
	}
	return ws, nil
}

func (ws *workspace) fill(config, bin string) error {
	files, err := filepath.Glob(filepath.Join(config, "*.tf"))
	if err != nil {
		return fmt.Errorf("listing the configuration: %w", err)
	}
	if len(files) == 0 {
		return fmt.Errorf("no configuration (*.tf) in %s", config)
	}
	for _, file := range append(files, filepath.Join(config, scenarioFile)) {
		data, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("copying the configuration: %w", err)
		}
		if err := os.WriteFile(filepath.Join(ws.dir, filepath.Base(file)), data, 0o600); err != nil {
			return fmt.Errorf("copying the configuration: %w", err)
		}
	}
	if err := os.WriteFile(ws.cliConfig(), []byte(cliConfig(bin)), 0o600); err != nil {
		return fmt.Errorf("writing the CLI configuration: %w", err)
	}
	return nil
}

func (ws *workspace) cliConfig() string { return filepath.Join(ws.dir, "cli.tfrc") }

// env returns the variables that make the CLI use the workspace.
func (ws *workspace) env() []string {
	return []string{"TF_CLI_CONFIG_FILE=" + ws.cliConfig()}
}

func (ws *workspace) remove() error {
	if err := os.RemoveAll(ws.dir); err != nil {
		return fmt.Errorf("removing the demo's files: %w", err)
	}
	return nil
}

// cliConfig returns a CLI configuration for both addresses that
// "smartxworks/elf" stands for, Terraform's and OpenTofu's.
func cliConfig(bin string) string {
	return fmt.Sprintf(`provider_installation {
  dev_overrides {
    "registry.terraform.io/smartxworks/elf" = %[1]q
    "registry.opentofu.org/smartxworks/elf" = %[1]q
  }
  direct {}
}
`, bin)
}

// environ removes the variables that would change what the demo does: those of a
// real Tower, and the caller's settings for the CLI except those for its log.
func environ(all []string) []string {
	kept := []string{"CHECKPOINT_DISABLE=1"}
	for _, pair := range all {
		name, _, _ := strings.Cut(pair, "=")
		switch {
		case strings.HasPrefix(name, "TF_LOG"):
		case strings.HasPrefix(name, "TF_"), strings.HasPrefix(name, "ELF_"):
			continue
		}
		kept = append(kept, pair)
	}
	return kept
}

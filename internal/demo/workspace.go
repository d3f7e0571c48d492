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

// workspace is a temporary folder with a copy of the configuration and a CLI
// configuration that takes the provider from the build's folder.
type workspace struct {
	dir       string
	simulator string // path of the simulator's binary
}

// newWorkspace copies configuration and scenario, so that state and lock
// files never land in the repository.
func newWorkspace(config, bin string) (*workspace, error) {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return nil, fmt.Errorf("finding the binaries: %w", err)
	}
	dir, err := os.MkdirTemp("", "elf-demo-")
	if err != nil {
		return nil, fmt.Errorf("making a folder to work in: %w", err)
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

// env is what the CLI needs to use the workspace, beside the simulator's.
func (ws *workspace) env() []string {
	return []string{"TF_CLI_CONFIG_FILE=" + ws.cliConfig()}
}

func (ws *workspace) remove() error {
	if err := os.RemoveAll(ws.dir); err != nil {
		return fmt.Errorf("removing the demo's files: %w", err)
	}
	return nil
}

// cliConfig names the provider by both addresses that "smartxworks/elf"
// stands for: Terraform's and OpenTofu's.
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

// environ drops what would send the demo elsewhere: the variables of a real
// Tower and the caller's settings of the CLI, except its log.
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

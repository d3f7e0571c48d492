// SPDX-License-Identifier: MPL-2.0

// Package acctest runs acceptance tests: the provider runs in the test's own
// process, Terraform or OpenTofu is the real program, and Tower is a simulator
// that each test starts for itself, or a real Tower.
package acctest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	testingacctest "github.com/hashicorp/terraform-plugin-testing/helper/acctest"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest/openapicheck"
	"github.com/smartxworks/terraform-provider-elf/internal/provider"
)

const (
	envServer    = "ELF_SERVER"
	envPrefix    = "ELF_"
	envCLI       = "TF_ACC_TERRAFORM_PATH"
	tofuRegistry = "registry.opentofu.org"
)

// ProtoV6ProviderFactories starts the provider inside the test's process.
func ProtoV6ProviderFactories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"elf": providerserver.NewProtocol6WithError(provider.New("test")()),
	}
}

// ParallelTest runs a test case in parallel with others. It prepares the
// environment and the provider, so plain `go test` is enough. It skips the test
// if there is no CLI.
func ParallelTest(t *testing.T, c resource.TestCase) {
	t.Helper()
	prepare(t, &c)
	resource.ParallelTest(t, c)
}

// Test is ParallelTest for tests that change the environment and therefore
// can't run in parallel.
func Test(t *testing.T, c resource.TestCase) {
	t.Helper()
	prepare(t, &c)
	resource.Test(t, c)
}

func prepare(t *testing.T, c *resource.TestCase) {
	t.Helper()
	requireCLI(t)
	isolate(t)
	if c.ProtoV6ProviderFactories == nil {
		c.ProtoV6ProviderFactories = ProtoV6ProviderFactories()
	}
}

// RandomName returns a name that no other test uses. It begins with tf-acc-, so
// that leftovers on a real Tower can be recognised.
func RandomName() string { return testingacctest.RandomWithPrefix("tf-acc") }

// OnTower reports whether the tests run against a real Tower.
func OnTower() bool { return os.Getenv(envServer) != "" }

// isolate removes the provider's variables from the environment, so that an
// incomplete configuration of the caller does not reach the tests.
func isolate(t testing.TB) {
	t.Helper()
	if err := isolated(); err != nil {
		t.Fatal(err)
	}
}

var isolated = sync.OnceValue(func() error {
	if OnTower() {
		return nil
	}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, envPrefix) && name != openapicheck.EnvDocument {
			if err := os.Unsetenv(name); err != nil {
				return fmt.Errorf("preparing the environment: %w", err)
			}
		}
	}
	return nil
})

// requireCLI returns the path of the CLI and prepares the environment for it. It
// skips the test if the environment names no CLI and none is on PATH.
func requireCLI(t testing.TB) string {
	t.Helper()
	path, err := preparedCLI()
	if err != nil {
		t.Fatal(err)
	}
	if path == "" {
		t.Skipf("neither terraform nor tofu is on PATH and %s does not name one; `make test-sdk` builds one", envCLI)
	}
	return path
}

var preparedCLI = sync.OnceValues(func() (string, error) {
	cli, err := findCLI()
	if cli == "" || err != nil {
		return "", err
	}
	set := map[string]string{
		"TF_ACC":                    "1",
		envCLI:                      cli,
		"TF_ACC_PROVIDER_NAMESPACE": "smartxworks",
		// A developer's overrides would hide the provider under test.
		"TF_CLI_CONFIG_FILE": os.DevNull,
		"CHECKPOINT_DISABLE": "1",
	}
	if isTofu(cli) {
		set["TF_ACC_PROVIDER_HOST"] = tofuRegistry
	}
	for name, value := range set {
		if err := os.Setenv(name, value); err != nil {
			return "", fmt.Errorf("preparing the environment: %w", err)
		}
	}
	return cli, nil
})

// findCLI returns the CLI that the environment names, else the one on PATH, else
// "".
func findCLI() (string, error) {
	if named := os.Getenv(envCLI); named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fmt.Errorf("%s does not name a program: %w", envCLI, err)
		}
		return filepath.Abs(path)
	}
	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", nil
}

// isTofu reports whether the CLI is OpenTofu, which takes providers from a registry of its own.
func isTofu(cli string) bool {
	return strings.HasPrefix(strings.ToLower(filepath.Base(cli)), "tofu")
}

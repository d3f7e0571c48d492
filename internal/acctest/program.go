// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/smartxworks/terraform-provider-elf/internal/provider"
)

const (
	programName = "terraform-provider-elf"
	envPID      = "ELF_ACC_PROVIDER_PID"
	logFile     = "terraform.log"
)

// ServeAsProgram serves the provider and does not return if the test binary was
// started under the provider's name; otherwise it does nothing. A package whose
// tests use NewProgramCLI calls it first in TestMain.
func ServeAsProgram() {
	if filepath.Base(os.Args[0]) != programName {
		return
	}
	err := os.WriteFile(os.Getenv(envPID), []byte(strconv.Itoa(os.Getpid())), 0o600)
	if err == nil {
		err = providerserver.Serve(context.Background(), provider.New("test"), providerserver.ServeOpts{Address: registryHost + "/" + source})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// NewProgramCLI is NewCLI with the provider as a program of its own, which the
// CLI starts as it does in production. Both write their most verbose logs to a
// file in the directory. Variables are pairs of a name and a value.
func NewProgramCLI(t *testing.T, configuration string, variables ...string) *CLI {
	t.Helper()
	isolate(t)
	c := &CLI{t: t, dir: t.TempDir(), command: requireCLI(t)}
	programs := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(programs, programName))
	}
	cliConfig := filepath.Join(programs, "cli.tfrc")
	if err == nil {
		overrides := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n    %q = %q\n  }\n  direct {}\n}\n",
			registryHost+"/"+source, programs, tofuRegistry+"/"+source, programs)
		err = os.WriteFile(cliConfig, []byte(overrides), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.pidFile = filepath.Join(programs, "pid")
	c.programEnv = []string{
		"TF_CLI_CONFIG_FILE=" + cliConfig, envPID + "=" + c.pidFile,
		"TF_LOG=TRACE", "TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH=" + filepath.Join(c.dir, logFile),
	}
	for i := 0; i+1 < len(variables); i += 2 {
		c.programEnv = append(c.programEnv, "TF_VAR_"+variables[i]+"="+variables[i+1])
	}
	c.Configure(configuration)
	return c
}

// CrashProvider kills the provider that the CLI of NewProgramCLI started last,
// as the kernel does when memory runs out.
func (c *CLI) CrashProvider() {
	c.t.Helper()
	text, err := os.ReadFile(c.pidFile)
	if err != nil {
		c.t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		c.t.Fatal(err)
	}
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// FilesWith returns the names of the files in the working directory that
// contain a text, logs and state included, the configuration excluded.
func (c *CLI) FilesWith(text string) []string {
	c.t.Helper()
	var found []string
	err := filepath.WalkDir(c.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) == ".tf" {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(content), text) {
			found = append(found, entry.Name())
		}
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return found
}

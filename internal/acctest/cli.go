// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/smartxworks/terraform-provider-elf/internal/provider"
)

const (
	registryHost = "registry.terraform.io"
	source       = "smartxworks/elf"
)

// CLI is a working directory in which a test runs Terraform commands itself,
// for what the steps of a test case can't do, such as interrupting an apply or
// setting the parallelism. The provider runs in the test's process.
type CLI struct {
	t       *testing.T
	dir     string
	command string

	neighbours []Neighbour
	programEnv []string // the environment of a CLI that starts the provider itself, else nil
	pidFile    string   // the file with the provider's process id
}

// Neighbour is another provider that runs in the test's process beside the one
// under test.
type Neighbour struct {
	// Source is its namespace and type: "smartxworks/other".
	Source string
	Server func() tfprotov6.ProviderServer
}

// Run is a started command of the CLI.
type Run struct {
	cmd    *exec.Cmd
	output *lockedBuffer
	stop   func()
	done   chan struct{}
	err    error
}

// NewCLI prepares a directory with the configuration, adding the sources of the
// provider and its neighbours, and initialises it.
func NewCLI(t *testing.T, configuration string, neighbours ...Neighbour) *CLI {
	t.Helper()
	isolate(t)
	c := &CLI{t: t, dir: t.TempDir(), command: requireCLI(t), neighbours: neighbours}
	c.Configure(configuration)
	c.Run("init", "-no-color")
	return c
}

// Configure replaces the configuration.
func (c *CLI) Configure(configuration string) {
	c.t.Helper()
	sources := []string{source}
	for _, neighbour := range c.neighbours {
		sources = append(sources, neighbour.Source)
	}
	var required strings.Builder
	for _, address := range sources {
		fmt.Fprintf(&required, "    %s = { source = %q }\n", path.Base(address), address)
	}
	c.Write("main.tf", "terraform {\n  required_providers {\n"+required.String()+"  }\n}\n\n"+configuration)
}

// Write writes a file into the directory.
func (c *CLI) Write(name, content string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(content), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// Address returns the full address of a provider's source for this CLI.
func (c *CLI) Address(source string) string {
	if isTofu(c.command) {
		return tofuRegistry + "/" + source
	}
	return registryHost + "/" + source
}

// Read returns the content of a file in the directory.
func (c *CLI) Read(name string) string {
	c.t.Helper()
	content, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(content)
}

// Run runs a command, which must succeed, and returns its output.
func (c *CLI) Run(args ...string) string {
	c.t.Helper()
	output, err := c.Start(args...).Wait()
	if err != nil {
		c.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return output
}

// Start starts a command.
func (c *CLI) Start(args ...string) *Run {
	c.t.Helper()
	environment, stop := c.programEnv, func() {}
	if environment == nil {
		reattach, end, err := serve(c.t, c.neighbours)
		if err != nil {
			c.t.Fatal(err)
		}
		environment, stop = []string{"TF_REATTACH_PROVIDERS=" + reattach}, end
	}
	run := &Run{cmd: exec.CommandContext(c.t.Context(), c.command, args...), output: &lockedBuffer{}, stop: stop, done: make(chan struct{})}
	run.cmd.Dir = c.dir
	run.cmd.Env = append(append(os.Environ(), environment...), "TF_IN_AUTOMATION=1", "NO_COLOR=1")
	run.cmd.Stdout, run.cmd.Stderr = run.output, run.output
	if err := run.cmd.Start(); err != nil {
		stop()
		c.t.Fatal(err)
	}
	go func() {
		run.err = run.cmd.Wait()
		run.stop()
		close(run.done)
	}()
	c.t.Cleanup(func() {
		select {
		case <-run.done:
		default:
			// The test has failed and left the command running.
			_ = run.cmd.Process.Kill()
			<-run.done
		}
	})
	return run
}

// Wait waits for the end of the command and returns its output.
func (r *Run) Wait() (string, error) {
	<-r.done
	return r.output.String(), r.err
}

// Interrupt sends the command the signal that Ctrl-C sends.
func (r *Run) Interrupt() error { return r.cmd.Process.Signal(os.Interrupt) }

// Done returns a channel that is closed when the command has ended.
func (r *Run) Done() <-chan struct{} { return r.done }

// Show returns the objects of the root module in the state, by their addresses.
func (c *CLI) Show() map[string]Object {
	c.t.Helper()
	var state struct {
		Values struct {
			Root struct {
				Resources []Object `json:"resources"`
			} `json:"root_module"`
		} `json:"values"`
	}
	if err := json.Unmarshal([]byte(c.Run("show", "-json")), &state); err != nil {
		c.t.Fatal(err)
	}
	objects := map[string]Object{}
	for _, object := range state.Values.Root.Resources {
		objects[object.Address] = object
	}
	return objects
}

// Object is an object of the state.
type Object struct {
	Address string         `json:"address"`
	Tainted bool           `json:"tainted"`
	Values  map[string]any `json:"values"`
}

// serve runs the provider and its neighbours in this process. It returns the
// value of TF_REATTACH_PROVIDERS, which tells the CLI where they listen.
func serve(t *testing.T, neighbours []Neighbour) (reattach string, stop func(), err error) {
	entries := map[string]any{}
	var ends []func()
	stop = func() {
		for _, end := range ends {
			end()
		}
	}
	tested := Neighbour{Source: source, Server: func() tfprotov6.ProviderServer { return providerserver.NewProtocol6(provider.New("test")())() }}
	for _, served := range append([]Neighbour{tested}, neighbours...) {
		entry, end, err := serveOne(t, served)
		if err != nil {
			stop()
			return "", nil, fmt.Errorf("serving the provider %s: %w", served.Source, err)
		}
		ends = append(ends, end)
		entries[registryHost+"/"+served.Source], entries[tofuRegistry+"/"+served.Source] = entry, entry
	}
	encoded, err := json.Marshal(entries)
	if err != nil {
		stop()
		return "", nil, err
	}
	return string(encoded), stop, nil
}

// serveOne runs one provider and returns its entry in TF_REATTACH_PROVIDERS.
func serveOne(t *testing.T, served Neighbour) (entry map[string]any, stop func(), err error) {
	ctx, cancel := context.WithCancel(t.Context())
	configs, closed := make(chan *plugin.ReattachConfig), make(chan struct{})
	failed := make(chan error, 1)
	go func() {
		failed <- tf6server.Serve(registryHost+"/"+served.Source, served.Server,
			tf6server.WithDebug(ctx, configs, closed), tf6server.WithoutLogStderrOverride(), tf6server.WithLoggingSink(t))
	}()
	var config *plugin.ReattachConfig
	select {
	case config = <-configs:
	case err := <-failed:
		cancel()
		return nil, nil, err
	case <-time.After(10 * time.Second):
		cancel()
		return nil, nil, errors.New("it did not say where it listens")
	}
	entry = map[string]any{
		"Protocol": string(config.Protocol), "ProtocolVersion": config.ProtocolVersion, "Pid": config.Pid, "Test": config.Test,
		"Addr": map[string]string{"Network": config.Addr.Network(), "String": config.Addr.String()},
	}
	return entry, func() {
		cancel()
		<-closed
	}, nil
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

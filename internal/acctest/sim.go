// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// defaultSpeed is fast enough for a guest that boots, gets an address and has it
// reported after a minute and a half to do so within a second.
const defaultSpeed = 100

// The objects of the default scenario, and the variables that name the objects
// to use in their place on a real Tower.
const (
	defaultCluster  = "cluster-1"
	defaultVLAN     = "default"
	defaultTemplate = "rocky-8"

	envCluster  = "ELF_TEST_CLUSTER"
	envVLAN     = "ELF_TEST_VLAN"
	envTemplate = "ELF_TEST_TEMPLATE"
)

// Option changes how a simulator is started.
type Option func(*options)

type options struct {
	towersim.Options

	onTower bool
}

// WithSpeed makes simulated time run speed times faster than real time. The
// default is 100.
func WithSpeed(speed float64) Option {
	return func(o *options) { o.Speed = speed }
}

// WithTask sets how long a task takes, in simulated time.
func WithTask(d time.Duration) Option {
	return func(o *options) { o.Task = &d }
}

// WithTLS makes the simulator speak https with a certificate of its own.
func WithTLS() Option {
	return func(o *options) { o.TLS = true }
}

// AlsoOnTower marks a test that does not control what happens in Tower, so that
// it also runs against the real Tower that ELF_SERVER names. Other tests are
// skipped there.
func AlsoOnTower() Option {
	return func(o *options) { o.onTower = true }
}

// needsSimulator is why a test is skipped on a real Tower.
const needsSimulator = "this test controls what happens in Tower, so it needs the simulator, but ELF_SERVER names a real Tower"

// Sim is the Tower of one test, simulated or real.
type Sim struct {
	t      testing.TB
	server *towersim.Server // nil on a real Tower
	url    string
	// initial has the ids of the VMs that the scenario starts with.
	initial map[string]bool
}

// Simulator starts a simulated Tower that ends with the test. The scenario is a
// YAML document; "" is the default one.
func Simulator(t testing.TB, scenario string, opts ...Option) *Sim {
	t.Helper()
	isolate(t)
	o := options{Options: towersim.Options{YAML: []byte(scenario), Speed: defaultSpeed}}
	for _, opt := range opts {
		opt(&o)
	}
	if OnTower() {
		if !o.onTower {
			t.Skip(needsSimulator)
		}
		return &Sim{t: t, url: os.Getenv(envServer)}
	}
	parsed, err := towersim.ParseScenario(o.YAML)
	if err != nil {
		t.Fatal(err)
	}
	server, err := towersim.New(o.Options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("closing the simulator: %v", err)
		}
	})
	s := &Sim{t: t, server: server, url: server.URL(), initial: map[string]bool{}}
	for _, vm := range server.VMs() {
		s.initial[vm.ID] = true
	}
	if !o.TLS {
		s.url = checkedURL(t, server, parsed)
	}
	return s
}

// Server returns the simulator, with which a test controls what happens. It
// skips the test on a real Tower.
func (s *Sim) Server() *towersim.Server {
	s.t.Helper()
	if s.server == nil {
		s.t.Skip(needsSimulator)
	}
	return s.server
}

// URL returns the URL at which the provider reaches the Tower.
func (s *Sim) URL() string { return s.url }

// ProviderConfig renders the provider block. Changes are pairs of an attribute
// and its value in HCL, or "" to leave the attribute out:
//
//	sim.ProviderConfig("poll_interval", `"1s"`, "password", "")
func (s *Sim) ProviderConfig(changes ...string) string {
	if s.server == nil {
		return ProviderBlock(changes...)
	}
	pairs := []string{
		"server", strconv.Quote(s.url),
		"username", strconv.Quote(s.server.Username()),
		"password", strconv.Quote(s.server.Password()),
		"poll_interval", `"100ms"`,
	}
	if pem := s.server.CACertificate(); pem != "" {
		pairs = append(pairs, "ca_certificate", "<<-EOT\n"+pem+"EOT")
	}
	return ProviderBlock(append(pairs, changes...)...)
}

// ProviderBlock renders a provider block from pairs of an attribute and its
// value in HCL. The last pair for an attribute counts, and the value "" leaves
// the attribute out.
func ProviderBlock(pairs ...string) string {
	values := map[string]string{}
	for pair := range slices.Chunk(pairs, 2) {
		values[pair[0]] = pair[1]
	}
	var b strings.Builder
	b.WriteString("provider \"elf\" {\n")
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if values[name] != "" {
			fmt.Fprintf(&b, "  %s = %s\n", name, values[name])
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// ClusterName returns the name of a cluster to create VMs in.
func (s *Sim) ClusterName() string { return s.named(envCluster, defaultCluster) }

// VLANName returns the name of a VM network in that cluster that has a DHCP
// server.
func (s *Sim) VLANName() string { return s.named(envVLAN, defaultVLAN) }

// TemplateName returns the name of a content library template in that cluster,
// with cloud-init and VM tools.
func (s *Sim) TemplateName() string { return s.named(envTemplate, defaultTemplate) }

func (s *Sim) named(variable, simulated string) string {
	s.t.Helper()
	if s.server != nil {
		return simulated
	}
	name := os.Getenv(variable)
	if name == "" {
		s.t.Skipf("%s is not set to the name of an object on the real Tower to test with", variable)
	}
	return name
}

// DataSources renders the data sources of a cluster, a VM network and a template
// to create VMs with: data.elf_cluster.test, data.elf_vlan.test and
// data.elf_content_library_vm_template.test.
func (s *Sim) DataSources() string {
	return fmt.Sprintf(`
data "elf_cluster" "test" {
  name = %q
}

data "elf_vlan" "test" {
  name       = %q
  cluster_id = data.elf_cluster.test.id
}

data "elf_content_library_vm_template" "test" {
  name       = %q
  cluster_id = data.elf_cluster.test.id
}
`, s.ClusterName(), s.VLANName(), s.TemplateName())
}

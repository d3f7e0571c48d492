// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

func TestMain(m *testing.M) {
	acctest.ServeAsProgram()
	os.Exit(m.Run())
}

const opCreate = "create-vm-from-content-library-template"

// recorder is a simulated Tower that keeps the create calls.
type recorder struct {
	*httptest.Server

	mu      sync.Mutex
	creates []string
}

func record(t *testing.T, sim *acctest.Sim) *recorder {
	t.Helper()
	r := &recorder{}
	next := sim.Server().Handler()
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if strings.HasSuffix(req.URL.Path, "/"+opCreate) {
			r.mu.Lock()
			r.creates = append(r.creates, string(body))
			r.mu.Unlock()
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, req)
	}))
	t.Cleanup(r.CloseClientConnections)
	t.Cleanup(r.Close)
	return r
}

// count returns how many create calls came.
func (r *recorder) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.creates)
}

// last returns the newest create call.
func (r *recorder) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.creates[len(r.creates)-1]
}

// Secrets that are write-only reach Tower and nothing else: no state, no plan,
// no log, nothing printed; over a create, an update, a failed create and a crash.
func TestAccVM_writeOnlySecretsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	const userData, password, kept = "#cloud-config\n# s3cr3t-us3r-d4t4", "s3cr3t-p4ssw0rd", "k3pt-us3r-d4t4"
	hidden := []string{"s3cr3t-us3r-d4t4", password}
	sim := acctest.Simulator(t, "guests: [{match: 'mute-*', nics: [{index: 0, reported: never}]}]")
	front := record(t, sim)
	config := func(name string, cpus, version int, more string) string {
		return sim.ProviderConfig("server", strconv.Quote(front.URL)) + sim.DataSources() + fmt.Sprintf(`
variable "user_data" {
  type      = string
  ephemeral = true
}

variable "password" {
  type      = string
  ephemeral = true
}

resource "elf_vm" "test" {
  name       = %q
  cluster_id = data.elf_cluster.test.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.test.id }
  nics       = [{ vlan_id = data.elf_vlan.test.id }]
  num_cpus   = %d
  cloud_init = {
    user_data_wo                     = var.user_data
    user_data_wo_version             = %d
    default_user_password_wo         = var.password
    default_user_password_wo_version = %d
  }
}
%s
`, name, cpus, version, version, more)
	}
	cli := acctest.NewProgramCLI(t, config("first", 2, 1, ""), "user_data", userData, "password", password)
	clean := func(when, printed, control string) {
		t.Helper()
		for _, secret := range hidden {
			if strings.Contains(printed, secret) {
				t.Errorf("%s: %s was printed:\n%s", when, secret, printed)
			}
			if files := cli.FilesWith(secret); len(files) > 0 {
				t.Errorf("%s: %s is in %v", when, secret, files)
			}
		}
		if !strings.Contains(printed, control) {
			t.Errorf("%s: what was printed has not even %s:\n%s", when, control, printed)
		}
		for _, file := range []string{"terraform.tfstate", "terraform.log"} {
			if files := cli.FilesWith("first"); !strings.Contains(strings.Join(files, " "), file) {
				t.Errorf("%s: the VM's name is found in %v, not in %s: the search finds nothing", when, files, file)
			}
		}
	}
	apply := func() string {
		printed := cli.Run("plan", "-no-color", "-out=plan")
		printed += cli.Run("show", "-json", "plan")
		return printed + cli.Run("apply", "-no-color", "plan")
	}

	clean("create", apply(), `"first"`)
	if sent := front.last(); !strings.Contains(sent, hidden[0]) || !strings.Contains(sent, password) {
		t.Errorf("Tower was not told the secrets: %s", sent)
	}
	if files := cli.FilesWith(`operation=` + opCreate); !strings.Contains(strings.Join(files, " "), "terraform.log") {
		t.Errorf("what the provider logs of its create call is in %v, not in the log", files)
	}
	cli.Configure(config("first", 4, 1, ""))
	if printed := apply(); !strings.Contains(printed, "0 to add, 1 to change, 0 to destroy") {
		t.Errorf("more CPUs are no update in place:\n%s", printed)
	} else {
		clean("update", printed, `"first"`)
	}
	if plan := cli.Run("plan", "-no-color"); !strings.Contains(plan, "No changes") {
		t.Errorf("the plan is not empty:\n%s", plan)
	}

	// A new version replaces the VM, and its create fails.
	staged(t, sim.Server().InjectFaults(towersim.Fault{
		Operation: opCreate, Times: 1, TaskError: &towersim.TaskError{Code: "VM_CLOUD_INIT_CONFIG_ERROR", Message: "The gateway is unreachable."},
	}))
	cli.Configure(config("first", 4, 2, ""))
	printed, err := cli.Start("apply", "-no-color", "-auto-approve").Wait()
	if err == nil || !strings.Contains(printed, "must be replaced") {
		t.Errorf("a new version does not replace the VM, or its create does not fail (%v):\n%s", err, printed)
	}
	clean("failed create", printed, "The gateway is unreachable")

	// The provider dies while it waits.
	cli.Configure(config("mute-1", 4, 2, ""))
	before := front.count()
	run := cli.Start("apply", "-no-color", "-auto-approve")
	eventually(t, "the create call is sent", func() bool { return front.count() > before })
	cli.CrashProvider()
	printed, err = run.Wait()
	if err == nil {
		t.Errorf("the crash went unnoticed:\n%s", printed)
	}
	clean("crash", printed, "mute-1")

	// The same search finds what is kept in the state.
	cli.Configure(config("mute-1", 4, 2, "") + fmt.Sprintf(`
resource "elf_vm" "kept" {
  name       = "kept"
  cluster_id = data.elf_cluster.test.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.test.id }
  cloud_init = { user_data = %q }
}
`, kept))
	cli.Run("apply", "-no-color", "-auto-approve", "-target=elf_vm.kept")
	if files := cli.FilesWith(kept); !strings.Contains(strings.Join(files, " "), "terraform.tfstate") {
		t.Errorf("user_data is found in %v, not in the state: the search finds nothing", files)
	}
}

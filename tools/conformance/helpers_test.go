// SPDX-License-Identifier: MPL-2.0

package suite_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/cluster"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/content_library_vm_template"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/user"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
	"github.com/smartxworks/cloudtower-go-sdk/v2/utils"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// running starts a simulated Tower whose clock runs so fast that tasks end
// before the SDK asks a second time.
func running(t *testing.T) *towersim.Server {
	t.Helper()

	server, err := towersim.New(towersim.Options{Speed: 20, YAML: []byte(`
inventory:
  users: [{username: root, password: r}, {username: ann, password: a, source: LDAP}]`)})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})

	return server
}

// logIn logs in with the SDK's own helper.
func logIn(server *towersim.Server, name, password string, source models.UserSource) (*client.Cloudtower, error) {
	return client.NewWithUserConfig(
		client.ClientConfig{Host: strings.TrimPrefix(server.URL(), "http://"), BasePath: "/v2/api", Schemes: []string{"http"}},
		client.UserConfig{Name: name, Password: password, Source: source})
}

func TestLogInByTheHelper(t *testing.T) {
	server := running(t)

	for name, source := range map[string]models.UserSource{"root": models.UserSourceLOCAL, "ann": models.UserSourceLDAP} {
		c, err := logIn(server, name, name[:1], source)
		if err != nil {
			t.Errorf("%s: %v", name, err)

			continue
		}

		params := user.NewGetMyInfoParams()
		if me, err := c.User.GetMyInfo(params, nil); err != nil || *me.Payload.Name != name {
			t.Errorf("%s: %+v, %v", name, me, err)
		}
	}

	if _, err := logIn(server, "root", "wrong", models.UserSourceLOCAL); err == nil {
		t.Error("a wrong password is taken")
	}
}

// create requests a VM and returns the id of its task.
func create(t *testing.T, c *client.Cloudtower, name string) string {
	t.Helper()

	clusters := cluster.NewGetClustersParams()
	clusters.RequestBody = &models.GetClustersRequestBody{}

	in, err := c.Cluster.GetClusters(clusters)
	if err != nil {
		t.Fatal(err)
	}

	templates := content_library_vm_template.NewGetContentLibraryVMTemplatesParams()
	templates.RequestBody = &models.GetContentLibraryVMTemplatesRequestBody{}

	from, err := c.ContentLibraryVMTemplate.GetContentLibraryVMTemplates(templates)
	if err != nil {
		t.Fatal(err)
	}

	linked := false
	params := vm.NewCreateVMFromContentLibraryTemplateParams()
	params.RequestBody = []*models.VMCreateVMFromContentLibraryTemplateParams{{
		Name: &name, ClusterID: in.Payload[0].ID, TemplateID: from.Payload[0].ID, IsFullCopy: &linked,
	}}

	made, err := c.VM.CreateVMFromContentLibraryTemplate(params)
	if err != nil {
		t.Fatal(err)
	}

	return *made.Payload[0].TaskID
}

// TestWaitForTasksByTheHelpers waits with the SDK's helpers, which treat a task
// that they cannot find as one that does not exist yet, and return the message of
// a failed task.
func TestWaitForTasksByTheHelpers(t *testing.T) {
	c, err := logIn(running(t), "root", "r", models.UserSourceLOCAL)
	if err != nil {
		t.Fatal(err)
	}

	id := create(t, c, "a")
	if err := utils.WaitTask(t.Context(), c, &id, time.Second); err != nil {
		t.Error(err)
	}

	good, bad := create(t, c, "b"), create(t, c, "a")

	err = utils.WaitTasks(t.Context(), c, []string{good, bad}, time.Second)
	if err == nil || !strings.Contains(err.Error(), "VM_DUPLICATED_NAME") || strings.Contains(err.Error(), good) {
		t.Errorf("got %v, want the failure of one task", err)
	}

	none := "none"
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)

	defer cancel()

	if err := utils.WaitTask(short, c, &none, time.Second); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without a task: %v", err)
	}
}

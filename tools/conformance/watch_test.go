// SPDX-License-Identifier: MPL-2.0

package suite_test

import (
	"slices"
	"testing"
	"time"

	"github.com/go-openapi/runtime"
	httptransport "github.com/go-openapi/runtime/client"
	"github.com/go-openapi/strfmt"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/label"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
	"github.com/smartxworks/cloudtower-go-sdk/v2/watchor"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

const limit = 20 * time.Second

// sdk starts a simulated Tower and returns a client for it that authenticates
// each request.
func sdk(t *testing.T, version string) (*towersim.Server, *client.Cloudtower) {
	t.Helper()

	server, err := towersim.New(towersim.Options{YAML: []byte("version: " + version), ManualClock: true})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})

	token, err := server.NewAPIKey(server.Username(), "watch")
	if err != nil {
		t.Fatal(err)
	}

	transport := httptransport.New(server.URL()[len("http://"):], "/v2/api", []string{"http"})
	transport.DefaultAuthentication = httptransport.APIKeyAuth("Authorization", "header", token)

	return server, client.New(transport, strfmt.Default)
}

func watcher(t *testing.T, server *towersim.Server, c *client.Cloudtower) *watchor.ResourceChangeWatchClient {
	t.Helper()

	w, err := watchor.NewResourceChangeWatchClient(&watchor.NewResourceChangeWatchClientParams{
		Client: c, ResourceTypes: []string{"LABEL", "VM"}, PollingInterval: time.Millisecond, MaxRetries: 1,
		ClientOptions: func(op *runtime.ClientOperation) {
			op.AuthInfo = httptransport.BasicAuth(server.Username(), server.Password())
		},
	})
	if err != nil {
		t.Fatal(err)
	}

	return w
}

func createLabels(t *testing.T, c *client.Cloudtower, keys ...string) {
	t.Helper()

	for _, key := range keys {
		params := label.NewCreateLabelParams()
		params.RequestBody = []*models.LabelCreationParams{{Key: &key}}

		if _, err := c.Label.CreateLabel(params); err != nil {
			t.Fatal(err)
		}
	}
}

// next waits for an event of the watcher.
func next(t *testing.T, w *watchor.ResourceChangeWatchClient) *models.ResourceChangeEvent {
	t.Helper()

	select {
	case event := <-w.Channel():
		return event
	case warning := <-w.WarningChannel():
		t.Fatalf("a warning: %v", warning.Err)
	case failure := <-w.ErrorChannel():
		t.Fatalf("the watch failed: %+v", failure)
	case <-time.After(limit):
		t.Fatal("no event came")
	}

	return nil
}

// asksAgain waits until a watcher has sent a number of further requests.
func asksAgain(t *testing.T, server *towersim.Server, times int) {
	t.Helper()

	seen := server.Stats().Requests["resource-changes"]

	for deadline := time.Now().Add(limit); server.Stats().Requests["resource-changes"] < seen+times; {
		if time.Now().After(deadline) {
			t.Fatal("the watcher does not ask again")
		}
	}
}

// The SDK's watcher sees the earlier changes and then the new ones, each once and
// in order, and can continue from a given revision.
func TestWatch(t *testing.T) {
	server, c := sdk(t, "4.6.0")
	w := watcher(t, server, c)
	createLabels(t, c, "a", "b")

	if err := w.Start(&watchor.ResourceChangeWatchStartParams{}); err != nil {
		t.Fatal(err)
	}

	first := next(t, w)
	next(t, w)
	createLabels(t, c, "c")

	if event := next(t, w); *event.Action != "CREATE" || *event.ResourceType != "LABEL" || event.NewValue == nil {
		t.Errorf("got %+v", event)
	}

	if err := w.Stop(); err != nil {
		t.Error(err)
	}

	again := watcher(t, server, c)
	if err := again.Start(&watchor.ResourceChangeWatchStartParams{StartRevision: first.Revision}); err != nil {
		t.Fatal(err)
	}

	revisions := []string{*next(t, again).Revision, *next(t, again).Revision}
	if !slices.Equal(revisions, []string{"2", "3"}) {
		t.Errorf("after revision %s came %v", *first.Revision, revisions)
	}

	if err := again.Stop(); err != nil {
		t.Error(err)
	}
}

// A watcher that has caught up and then misses changes that are no longer kept
// gets an error.
func TestWatchSeesCompaction(t *testing.T) {
	server, c := sdk(t, "4.6.0")
	w := watcher(t, server, c)
	createLabels(t, c, "a")

	if err := w.Start(&watchor.ResourceChangeWatchStartParams{}); err != nil {
		t.Fatal(err)
	}

	next(t, w)
	asksAgain(t, server, 2) // so that it has caught up
	server.CompactChanges()

	// The newest revision is remembered, so a watcher that has reached it has missed nothing.
	createLabels(t, c, "b")

	if event := next(t, w); *event.ResourceType != "LABEL" {
		t.Errorf("got %+v", event)
	}

	// While the watcher's next request is held up, all changes that it has not seen are dropped.
	if err := server.InjectFaults(towersim.Fault{Operation: "resource-changes", Times: 1, Slow: towersim.Delay(time.Second)}); err != nil {
		t.Fatal(err)
	}

	asksAgain(t, server, 1)
	createLabels(t, c, "c", "d")
	server.CompactChanges()
	server.Advance(time.Second)

	for {
		select {
		case <-w.Channel():
		case failure := <-w.ErrorChannel():
			if failure.Type != watchor.ErrorEventTypeCompacted || failure.CompactRevision == nil || *failure.CompactRevision != "4" {
				t.Errorf("got %+v", failure)
			}

			return
		case <-time.After(limit):
			t.Fatal("the watcher does not learn of the compaction")
		}
	}
}

// A Tower that is too old answers 404, which its document declares.
func TestWatchOfAnOldTower(t *testing.T) {
	server, c := sdk(t, "4.5.0")
	w := watcher(t, server, c)

	if err := w.Start(&watchor.ResourceChangeWatchStartParams{}); err != nil {
		t.Fatal(err)
	}

	for {
		select {
		case <-w.WarningChannel():
		case failure := <-w.ErrorChannel():
			if failure == nil || failure.Err == nil {
				t.Errorf("got %+v", failure)
			}

			return
		case <-time.After(limit):
			t.Fatal("the watcher does not give up")
		}
	}
}

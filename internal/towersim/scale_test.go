// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

const (
	storeSize = 5000
	// readTarget is the time that reading one VM by its id may take in a store
	// of this size.
	readTarget = 5 * time.Millisecond
)

// storeScenario has VMs from the start, and has space for the same number
// again.
func storeScenario(vms int) string {
	var b strings.Builder

	b.WriteString("timing: {task: 2s}\ninventory:\n  clusters:\n    - name: cluster-1\n      storage_tib: 4000\n" +
		"      hosts: [{memory_gib: 32768}, {memory_gib: 32768}]\n  vms:\n")

	for i := range vms {
		fmt.Fprintf(&b, "    - {name: old-%d, nics: [default]}\n", i)
	}

	return b.String()
}

// BenchmarkGetVMByID reads one VM of a large store by its id, through the whole
// handler without the network. Other VMs change all the time, so each read also
// updates counts and sums.
func BenchmarkGetVMByID(b *testing.B) {
	for name, busy := range map[string]bool{"idle": false, "busy": true} {
		b.Run(name, func(b *testing.B) {
			server, err := towersim.New(towersim.Options{YAML: []byte(storeScenario(storeSize)), ManualClock: true})
			if err != nil {
				b.Fatal(err)
			}

			b.Cleanup(func() {
				if err := server.Close(); err != nil {
					b.Error(err)
				}
			})

			vms := server.VMs()
			read := reader(b, server)
			took := make([]time.Duration, 0, b.N)

			for i := 0; b.Loop(); i++ {
				if busy {
					// This stands for the steps of guests and the ends of
					// tasks, of which there are many each second.
					if err := server.SetAddresses(vms[i%storeSize].Name, "10.1.2.3"); err != nil {
						b.Fatal(err)
					}
				}

				begun := time.Now()
				read(vms[(i*7919)%storeSize].ID)
				took = append(took, time.Since(begun))
			}

			slices.Sort(took)
			median := took[len(took)/2]
			b.ReportMetric(float64(median.Microseconds())/1000, "ms-median")

			if median > readTarget {
				b.Errorf("the median is %v, more than %v", median, readTarget)
			}
		})
	}
}

// reader logs in and returns a function that reads one VM.
func reader(tb testing.TB, server *towersim.Server) func(id string) {
	tb.Helper()

	handler, token := server.Handler(), ""
	call := func(operation, body string) string {
		request := httptest.NewRequest(http.MethodPost, "/v2/api/"+operation, strings.NewReader(body))
		request.Header.Set("Authorization", token)

		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)

		if answer.Code != http.StatusOK {
			tb.Fatalf("%s: status %d: %s", operation, answer.Code, answer.Body)
		}

		return answer.Body.String()
	}

	login := call("login", fmt.Sprintf(`{"username": %q, "password": %q}`, server.Username(), server.Password()))
	_, rest, _ := strings.Cut(login, `"token":"`)
	token, _, _ = strings.Cut(rest, `"`)

	return func(id string) {
		if body := call("get-vms", `{"where": {"id": "`+id+`"}}`); !strings.Contains(body, `"id":"`+id+`"`) {
			tb.Fatalf("get-vms does not find %s: %.200s", id, body)
		}
	}
}

// TestReadByIDInALargeStore checks the benchmark's target, with reserves for
// slow machines and the race detector. It fails if a read goes through the
// whole store again.
func TestReadByIDInALargeStore(t *testing.T) {
	server, err := towersim.New(towersim.Options{YAML: []byte(storeScenario(storeSize)), ManualClock: true})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})

	vms := server.VMs()
	if len(vms) != storeSize {
		t.Fatalf("the store holds %d VMs", len(vms))
	}

	read := reader(t, server)
	took := make([]time.Duration, 101)

	for i := range took {
		begun := time.Now()
		read(vms[i*49].ID)
		took[i] = time.Since(begun)
	}

	slices.Sort(took)

	if median := took[len(took)/2]; median > 4*readTarget {
		t.Errorf("the median is %v", median)
	}
}

func TestThousandCreatesInFlightLoseNoUpdate(t *testing.T) {
	const creates, clients = 1000, 25

	x := start(t, storeScenario(0))
	params := x.params(object{"memory": 1 << 30})[0]

	var (
		mu      sync.Mutex
		replies = map[string]vmReply{}
		wait    sync.WaitGroup
		orders  = make(chan int)
	)

	for range clients {
		wait.Go(func() {
			for i := range orders {
				own := object{"name": fmt.Sprintf("vm-%d", i)}
				for key, value := range params {
					if key != "name" {
						own[key] = value
					}
				}

				reply := post[[]vmReply](x, "create-vm-from-content-library-template", []object{own})[0]

				mu.Lock()
				replies[own["name"].(string)] = reply
				mu.Unlock()
			}
		})
	}

	for i := range creates {
		orders <- i
	}

	close(orders)
	wait.Wait()

	// The clock stands still, so all of them are running now.
	if underWay := post[[]wire.Task](x, "get-tasks", object{"where": object{"status_in": []string{"PENDING", "EXECUTING"}}}); len(underWay) != creates {
		t.Fatalf("%d tasks are running, want %d", len(underWay), creates)
	}

	// There are reads and changes while the tasks end.
	wait.Go(func() {
		for range 100 {
			x.Advance(100 * time.Millisecond)
			x.call("get-vm-nics", object{"first": 10})
		}
	})

	for range clients {
		wait.Go(func() { x.call("get-clusters", object{}) })
	}

	wait.Wait()
	checkCreated(x, replies)
}

// checkCreated checks that each VM of a reply exists once and completely, with
// its own id, NIC and MAC address, and that its cluster counts it.
func checkCreated(x *tower, replies map[string]vmReply) {
	x.t.Helper()

	localIDs, macs := map[string]bool{}, map[string]bool{}

	for _, vm := range x.vms(object{}) {
		reply, ok := replies[vm.Name]
		if !ok || reply.Data.ID != vm.ID || vm.Status != wire.VMStatusRunning || vm.EntityAsyncStatus != nil || vm.Host == nil {
			x.t.Errorf("%s is %s on %v, %v, id %s", vm.Name, vm.Status, vm.Host, vm.EntityAsyncStatus, vm.ID)
		}

		delete(replies, vm.Name)

		localIDs[vm.LocalID] = true
	}

	if len(replies) > 0 {
		x.t.Errorf("%d VMs are lost", len(replies))
	}

	for _, nic := range post[[]wire.VMNic](x, "get-vm-nics", object{}) {
		macs[*nic.MACAddress] = true
	}

	cluster := post[[]wire.Cluster](x, "get-clusters", object{})[0]
	if len(localIDs) != 1000 || len(macs) != 1000 || *cluster.VMNum != 1000 || *cluster.RunningVMNum != 1000 {
		x.t.Errorf("%d local ids, %d MAC addresses, the cluster counts %d VMs and %d that run", len(localIDs), len(macs), *cluster.VMNum, *cluster.RunningVMNum)
	}

	for _, task := range post[[]wire.Task](x, "get-tasks", object{}) {
		if task.Status != wire.TaskStatusSuccessed {
			x.t.Errorf("the task %s is %s", task.Description, task.Status)
		}
	}
}

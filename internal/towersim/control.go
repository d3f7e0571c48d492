// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// controlBase is the path of the control API, which a real Tower does not have.
const controlBase = "/_sim/v1"

// Stats counts the requests to Tower's API, answered or not.
type Stats struct {
	Total    int            `json:"total"`
	Requests map[string]int `json:"requests"`
}

// VMReport is the history of a VM. Times are real time; they are nil until the
// event happens.
type VMReport struct {
	Name             string      `json:"name"`
	ID               string      `json:"id"`
	LocalID          string      `json:"local_id"`
	CreatedAt        *time.Time  `json:"created_at"`
	PoweredOnAt      *time.Time  `json:"powered_on_at"`
	NodeRegisteredAt *time.Time  `json:"node_registered_at"`
	DeletedAt        *time.Time  `json:"deleted_at"`
	NICs             []NICReport `json:"nics"`
}

// NICReport is the history of a NIC since the VM's last power-on.
type NICReport struct {
	Index      int        `json:"index"`
	MACAddress string     `json:"mac_address"`
	LeasedAt   *time.Time `json:"leased_at"`
	// ReportedAt is when Tower first showed Address.
	ReportedAt *time.Time `json:"reported_at"`
	Address    *string    `json:"address"`
}

// OperationInfo is one simulated operation.
type OperationInfo struct {
	Operation string `json:"operation"`
	Method    string `json:"method"`
	Tag       string `json:"tag"`
}

// Stats returns the counts since the start or the last reset.
func (s *Server) Stats() Stats {
	var stats Stats

	s.withWorld(func(w *world) {
		stats = Stats{Total: w.total, Requests: map[string]int{}}
		for name, n := range w.requests {
			stats.Requests[name] = n
		}
	})

	return stats
}

// Reset restores the scenario: everything that was created is gone, the ids of
// the scenario's objects are as before, and the counts are zero. Tokens and API
// keys stay valid. Clients that follow the changes by revision learn that they
// have missed some.
func (s *Server) Reset() {
	s.withWorld(func(w *world) {
		s.ids.macs = 0
		s.world = newWorld(w.scenario, s.clock, s.ids, s.sessions)
		s.world.nodes = w.nodes.cleared()
		s.world.journal.continueFrom(w.journal)
	})
}

// InjectFaults adds faults after the existing ones. If one is invalid, it
// returns a [*ScenarioError] and adds none.
func (s *Server) InjectFaults(faults ...Fault) error {
	faults, err := s.inventory().completeFaults(faults)
	if err != nil {
		return err
	}

	s.withWorld(func(w *world) {
		for _, fault := range faults {
			w.addFault(fault)
		}
	})

	return nil
}

// inventory returns the scenario's inventory, which never changes.
func (s *Server) inventory() *Inventory {
	s.mu.Lock()
	defer s.mu.Unlock()

	return &s.world.scenario.Inventory
}

// ClearFaults removes all faults, also those of the scenario.
func (s *Server) ClearFaults() {
	s.withWorld(func(w *world) { w.faults = nil })
}

// VMs returns the history of all VMs, in the order of their creation. Of the
// deleted VMs, the newest 10,000 are listed.
func (s *Server) VMs() []VMReport {
	var reports []VMReport

	s.withWorld(func(w *world) {
		all := append(slices.Clone(w.deletedVMs), w.vms.list...)
		slices.SortFunc(all, func(a, b *vm) int { return cmp.Compare(a.order, b.order) })

		reports = mapSlice(all, w.vmReport)
	})

	return reports
}

func (w *world) vmReport(v *vm) VMReport {
	return VMReport{
		Name: v.row.Name, ID: v.row.ID, LocalID: v.row.LocalID,
		CreatedAt: w.realTime(v.createdAt), PoweredOnAt: w.realTime(v.poweredOnAt),
		NodeRegisteredAt: w.realTime(v.nodeRegisteredAt), DeletedAt: w.realTime(v.deletedAt),
		NICs: w.nicReports(v),
	}
}

func (w *world) nicReports(v *vm) []NICReport {
	reports := make([]NICReport, len(v.nics))
	for i, n := range v.nics {
		reports[i] = NICReport{
			Index: i, MACAddress: n.mac, Address: nilIfEmpty(n.address.ip),
			LeasedAt: w.realTime(n.leasedAt), ReportedAt: w.realTime(n.reportedAt),
		}
	}

	return reports
}

func (w *world) realTime(simulated time.Time) *time.Time {
	if simulated.IsZero() {
		return nil
	}

	return wire.Ptr(w.clock.realTime(simulated))
}

// Operations lists the simulated operations by name.
func (s *Server) Operations() []OperationInfo {
	var list []OperationInfo

	s.withWorld(func(w *world) {
		for i := range wire.Operations {
			o := &wire.Operations[i]
			name := o.Path[1:]
			_, listed := w.entities[o.Entity]

			if _, handled := handlers[name]; handled || listed && (o.List || o.Connection) {
				list = append(list, OperationInfo{Operation: name, Method: o.Method, Tag: o.Tag})
			}
		}
	})

	return list
}

// addControl adds the control API to a mux.
func (s *Server) addControl(mux *http.ServeMux) {
	mux.HandleFunc("GET "+controlBase+"/stats", func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, http.StatusOK, s.Stats())
	})
	mux.HandleFunc("GET "+controlBase+"/vms", func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, http.StatusOK, s.VMs())
	})
	mux.HandleFunc("GET "+controlBase+"/mutations", func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, http.StatusOK, s.Mutations())
	})
	mux.HandleFunc("GET "+controlBase+"/vpcs", func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, http.StatusOK, s.VPCs())
	})
	mux.HandleFunc("GET "+controlBase+"/operations", func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, http.StatusOK, s.Operations())
	})
	mux.HandleFunc("GET "+controlBase+"/kubeconfig", s.getKubeconfig)
	mux.HandleFunc("POST "+controlBase+"/reset", func(w http.ResponseWriter, _ *http.Request) {
		s.Reset()
		sendJSON(w, http.StatusOK, map[string]bool{"reset": true})
	})
	mux.HandleFunc("POST "+controlBase+"/faults", s.postFaults)
	mux.HandleFunc("DELETE "+controlBase+"/faults", func(w http.ResponseWriter, _ *http.Request) {
		s.ClearFaults()
		sendJSON(w, http.StatusOK, map[string]int{"faults": 0})
	})
	mux.HandleFunc("POST "+controlBase+"/api-keys", s.postAPIKey)
}

func (s *Server) postFaults(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		sendError(w, err)

		return
	}

	faults, err := parseFaults(body, s.inventory())
	if err != nil {
		sendError(w, err)

		return
	}

	if err := s.InjectFaults(faults...); err != nil {
		sendError(w, err)

		return
	}

	sendJSON(w, http.StatusOK, map[string]int{"added": len(faults)})
}

// postAPIKey creates an API key, as a person does in the web interface; it
// works whatever log-ins the scenario allows. The body may name the user and
// the key.
func (s *Server) postAPIKey(w http.ResponseWriter, r *http.Request) {
	in := struct{ Username, Name string }{Username: s.Username(), Name: "towersim"}

	decoder := json.NewDecoder(io.LimitReader(r.Body, maxBody))
	decoder.DisallowUnknownFields()

	err := decoder.Decode(&in)
	if err != nil && !errors.Is(err, io.EOF) {
		sendError(w, err)

		return
	}

	token, err := s.NewAPIKey(in.Username, in.Name)
	if err != nil {
		sendError(w, err)

		return
	}

	sendJSON(w, http.StatusOK, map[string]string{"key": token})
}

// NewAPIKey creates an API key for a user of the scenario, as a person does in
// the web interface.
func (s *Server) NewAPIKey(username, name string) (string, error) {
	token, err := "", fmt.Errorf("towersim: there is no user %q", username)

	s.withWorld(func(w *world) {
		for _, u := range w.users.list {
			if u.spec.Username == username {
				token, _ = s.createAPIKey(u, name)
				err = nil
			}
		}
	})

	return token, err
}

func sendJSON(w http.ResponseWriter, status int, value any) {
	body, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error": "cannot marshal the reply"}`)
	}

	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}

func sendError(w http.ResponseWriter, err error) {
	sendJSON(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
}

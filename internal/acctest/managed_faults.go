// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// outcome is what an apply may come to while something goes wrong.
type outcome int

const (
	succeeds outcome = iota
	fails
	either
)

// managedFault is what goes wrong while an object is created or deleted.
type managedFault struct {
	towersim.Fault
	outcome
}

// faults are what the creation and the deletion of an object have to survive.
func (m Managed) faults() map[string]managedFault {
	out := map[string]managedFault{}
	for verb, operation := range map[string]string{"create": m.Creation, "delete": m.Deletion} {
		for name, fault := range map[string]managedFault{
			"locked for a while":          {towersim.Fault{LockedFor: towersim.Delay(5 * time.Second)}, succeeds},
			"dropped before it arrives":   {towersim.Fault{Reset: towersim.ResetBefore, Times: 1}, either},
			"dropped once it is accepted": {towersim.Fault{Reset: towersim.ResetAfter, Times: 1}, succeeds},
			"refused":                     {towersim.Fault{Status: 500}, fails},
			// Where there is no task, there is nothing to fail.
			"failing in its task": {towersim.Fault{TaskError: &towersim.TaskError{Code: "STAGED", Message: "staged"}}, either},
		} {
			fault.Operation = operation
			out[verb+" "+name] = fault
		}
	}
	return out
}

// survive creates and destroys an object while something goes wrong. Whatever the
// apply says, Tower has then what the state says, and nothing else; and once
// nothing goes wrong any more, an apply makes up for it.
func (m Managed) survive(t *testing.T, fault managedFault) {
	t.Parallel()
	s := m.stage(t)
	staged := func(operation string, arguments Values, prior Instance) Instance {
		t.Helper()
		if fault.Operation == operation {
			if err := s.sim.Server().InjectFaults(fault.Fault); err != nil {
				t.Fatal(err)
			}
		}
		after, diags := s.protocol.Apply(m.Resource, arguments, prior)
		text := Texts(diags)
		switch {
		case text != "" && (fault.Operation != operation || fault.outcome == succeeds):
			t.Errorf("%s is not survived: %s", operation, text)
		case text == "" && fault.Operation == operation && fault.outcome == fails:
			t.Errorf("%s fails, and the apply does not say so", operation)
		}
		s.sim.Server().ClearFaults()
		after = s.protocol.Refresh(m.Resource, after)
		s.checkOnly(after)
		return after
	}

	state := staged(m.Creation, s.arguments, Instance{})
	if state.Tainted {
		state = s.apply(nil, state)
	}
	state = s.apply(s.arguments, state)
	s.checkOnly(state)

	state = staged(m.Deletion, nil, state)
	if state.Members != nil {
		state = s.apply(nil, state)
	}
	s.checkOnly(state)
}

// cancelled is a create that the user interrupts while Tower is at it: the object
// is kept, and is no worse than one whose create was waited for.
func (m Managed) cancelled(t *testing.T) {
	t.Parallel()
	s := m.stage(t)
	err := s.sim.Server().InjectFaults(towersim.Fault{Operation: m.Creation, Slow: towersim.Delay(20 * time.Second)})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for s.sim.Server().Stats().Requests[m.Creation] == 0 && t.Context().Err() == nil {
			runtime.Gosched()
		}
		_, _ = s.protocol.server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{})
	}()
	state, diags := s.protocol.Apply(m.Resource, s.arguments, Instance{})
	if text := Texts(diags); text != "" || len(diags) != 1 || !strings.Contains(diags[0].Summary, "cancelled") {
		t.Errorf("diagnostics %v, want one warning that says \"cancelled\"", diags)
	}
	s.sim.Server().ClearFaults()
	for range 100 {
		if len(s.made()) > 0 {
			break
		}
		s.sim.Server().Advance(time.Second)
	}
	s.checkOnly(state)
	s.protocol = NewProtocol(t, s.sim, nil)
	state = s.apply(s.arguments, s.protocol.Refresh(m.Resource, state))
	s.checkOnly(state)
}

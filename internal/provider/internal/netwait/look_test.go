// SPDX-License-Identifier: MPL-2.0

package netwait

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// reader shows one look after the other, and the last one for ever.
type reader struct {
	looks script
	reads int
}

func (r *reader) VM(context.Context, string) (*tower.VM, error) {
	at := r.looks[min(r.reads, len(r.looks)-1)]
	r.reads++
	switch {
	case at.err != nil:
		return nil, at.err
	case at.vm == nil:
		return nil, tower.ErrNotFound
	}
	return at.vm, nil
}

func (r *reader) VMNICs(context.Context, string) ([]tower.VMNIC, error) {
	return r.looks[min(r.reads, len(r.looks))-1].nics, nil
}

// A look is no wait, whatever it sees; only a VM that stays out of sight is gone.
func TestLook(t *testing.T) {
	t.Parallel()
	broken := look{err: errors.New("HTTP 502")}
	for name, tc := range map[string]struct {
		looks     script
		want      End
		addresses int
		took      time.Duration
		failed    bool
	}{
		"an address is shown":   {script{running(nic(0, "10.0.0.1"))}, NotAwaited, 1, 0, false},
		"no address is shown":   {script{running(nic(0))}, NotAwaited, 0, 0, false},
		"off":                   {script{in("STOPPED")}, NotAwaited, 0, 0, false},
		"Tower can't be read":   {script{broken}, NotAwaited, 0, 0, true},
		"out of sight for once": {script{{}, running(nic(0, "10.0.0.1"))}, NotAwaited, 1, time.Second, false},
		"deleted":               {script{{}}, Deleted, 0, time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				result := Look(t.Context(), &reader{looks: tc.looks}, time.Second, request(dhcp(1)))
				if result.End != tc.want || len(result.Verdict.Addresses) != tc.addresses || (result.Err != nil) != tc.failed {
					t.Errorf("ended %d with the addresses %v and %v", result.End, result.Verdict.Addresses, result.Err)
				}
				if took := time.Since(start); took != tc.took {
					t.Errorf("it took %s, want %s", took, tc.took)
				}
			})
		})
	}
}

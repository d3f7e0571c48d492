// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// privateKeys is a private state.
type privateKeys map[string]string

func (p privateKeys) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) {
	return []byte(p[key]), nil
}

func (p privateKeys) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	if len(value) == 0 {
		delete(p, key)
	} else {
		p[key] = string(value)
	}
	return nil
}

// What older builds wrote under keys of their own is read, and saved as one
// record in their place.
func TestReadRecord(t *testing.T) {
	t.Parallel()
	const none = `"volumes":{"own":null}`
	for name, tc := range map[string]struct {
		private privateKeys
		want    record
		saved   string
	}{
		"nothing": {privateKeys{}, record{}, `{"version":1,` + none + `}`},
		"created": {
			privateKeys{"volumes": `{"made":["a"],"given":["b"],"own":["c"]}`},
			record{Volumes: ownership{Made: []string{"a"}, Given: []string{"b"}, Own: []string{"c"}}},
			`{"version":1,"volumes":{"made":["a"],"given":["b"],"own":["c"]}}`,
		},
		"interrupted create": {
			privateKeys{"volumes": `{"given":["b"],"own":null}`},
			record{Volumes: ownership{Given: []string{"b"}}},
			`{"version":1,"volumes":{"given":["b"],"own":null}}`,
		},
		"imported": {privateKeys{"imported": `"unread"`}, record{Takeover: takeoverUnread}, `{"version":1,"takeover":"unread",` + none + `}`},
		"imported and read": {
			privateKeys{"imported": `true`, "volumes": `{"own":["c"]}`},
			record{Takeover: takeoverUnapplied, Volumes: ownership{Own: []string{"c"}}},
			`{"version":1,"takeover":"unapplied","volumes":{"own":["c"]}}`,
		},
		"imported and applied": {
			privateKeys{"imported": `false`, "owes_start": `false`, "volumes": `{"own":[]}`},
			record{Takeover: takeoverApplied, Volumes: ownership{Own: []string{}}},
			`{"version":1,"takeover":"applied","volumes":{"own":[]}}`,
		},
		"start pending": {privateKeys{"owes_start": `true`}, record{StartPending: true}, `{"version":1,"start_pending":true,` + none + `}`},
		"version 1": {
			privateKeys{"record": `{"version":1,"takeover":"applied","start_pending":true,"volumes":{"own":["c"]}}`, "owes_start": `false`},
			record{Version: 1, Takeover: takeoverApplied, StartPending: true, Volumes: ownership{Own: []string{"c"}}},
			`{"version":1,"takeover":"applied","start_pending":true,"volumes":{"own":["c"]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, diags := readRecord(t.Context(), tc.private)
			if diff := cmp.Diff(tc.want, got); diff != "" || len(diags) > 0 {
				t.Fatalf("%v\n%s", diags, diff)
			}
			if diags := got.save(t.Context(), tc.private); len(diags) > 0 {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(privateKeys{"record": tc.saved}, tc.private); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadRecord_refuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		private privateKeys
		want    string
	}{
		"no record":        {privateKeys{"record": `[]`}, "bug in the provider"},
		"no older record":  {privateKeys{"volumes": `[]`}, `"volumes" beside the state`},
		"newer than known": {privateKeys{"record": `{"version":2}`}, "newer version of the elf provider"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := readRecord(t.Context(), tc.private)
			if len(diags) != 1 || !strings.Contains(diags[0].Detail(), tc.want) {
				t.Errorf("%v, want %q", diags, tc.want)
			}
		})
	}
}

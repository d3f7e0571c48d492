// SPDX-License-Identifier: MPL-2.0

package query

import (
	"errors"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// FuzzFind answers list requests: there is never a panic, a refusal names a
// place, and the rows found are part of the list.
func FuzzFind(f *testing.F) {
	for _, body := range []string{
		`{}`, `{"where":{"id":"v1"}}`, `{"where":{"OR":[{"id":"v1"},{"local_id":"u2"}]},"first":1}`,
		`{"where":{"vm_nics_some":{"vlan":{"vds":{"cluster":{"id":"c"}}}}}}`, `{"orderBy":"vcpu_DESC","last":2,"before":"v3"}`,
		`{"where":{"NOT":[{"AND":[{"hostname_not":null}]}]},"skip":2147483647}`, `{"where":{"local_created_at_gt":"2024"}}`,
		`{"where":{"name_in":[1]}}`, `{"where":{"vcpu":"1e2","cpu_usage":"0x1p2","host":null}}`, `{"where":{"":{}},"orderBy":"_ASC"}`,
		`{"where":{"cluster":{"hosts_every":{"vms_none":{"labels_some":{"value":null}}}}},"after":"v1","before":"v4"}`,
	} {
		f.Add(body)
	}
	f.Add(`{"where":` + strings.Repeat(`{"AND":[`, 500) + strings.Repeat(`]}`, 500) + `}`)
	src := sample()
	f.Fuzz(func(t *testing.T, body string) {
		var req Request
		if err := wire.Decode([]byte(body), &req); err != nil {
			return
		}
		for _, entity := range []string{wire.EntityVM, wire.EntityVMNic, wire.EntityTask} {
			rows, err := Find(src, entity, req)
			var bad *BadRequest
			switch {
			case err != nil && (!errors.As(err, &bad) || bad.Path == ""):
				t.Errorf("%s: %v", body, err)
			case err == nil && len(rows) > len(src.Rows(entity)):
				t.Errorf("%s finds %d rows of %d", body, len(rows), len(src.Rows(entity)))
			}
			again, againErr := Find(&indexed{inventory: src}, entity, req)
			if (err == nil) != (againErr == nil) || strings.Join(ids(rows), " ") != strings.Join(ids(again), " ") {
				t.Errorf("%s: indexes change the result: %q, %v and %q, %v", body, ids(rows), err, ids(again), againErr)
			}
		}
	})
}

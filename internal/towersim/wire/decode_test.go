// SPDX-License-Identifier: MPL-2.0

package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	const create = `{"name":"a","cluster_id":"c","template_id":"t","is_full_copy":false`
	tests := map[string]struct {
		into any
		body string
		want string
	}{
		"empty body":                   {new(VMStartParams), " \n", "body: expected JSON, the body is empty"},
		"truncated":                    {new(ListRequest), `{"where":{`, "body: malformed JSON: unexpected end of JSON input"},
		"two values":                   {new(ListRequest), `{} {}`, "body: malformed JSON: invalid character '{' after top-level value"},
		"not an object":                {new(ListRequest), `[]`, "body: expected object"},
		"not an array":                 {new([]VMCreationParams), `{}`, "body: expected array"},
		"null array":                   {new([]VMCreationParams), `null`, "body: expected array"},
		"null element":                 {new([]VMCreationParams), `[null]`, "body[0]: expected object"},
		"missing member":               {new([]VMCreateVMFromContentLibraryTemplateParams), `[` + create + `},{}]`, "body[1].cluster_id: required member is missing"},
		"missing where":                {new(VMStartParams), `{}`, "body.where: required member is missing"},
		"wrong where":                  {new(VMStartParams), `{"where":[]}`, "body.where: expected object"},
		"null where of a mutation":     {new(VMStartParams), `{"where":null}`, "body.where: expected object"},
		"unknown member, closed":       {new(ListRequest), `{"where":{},"zzz":1,"limit":1}`, "body.limit: unknown member"},
		"unknown member, inner closed": {new(GetVMVNCInfoParams), `{"vm":{"uuid":"x"}}`, "body.vm.uuid: unknown member"},
		"wrong case":                   {new(ListRequest), `{"orderby":"id_ASC"}`, "body.orderby: unknown member"},
		"boolean": {
			new([]VMCreateVMFromContentLibraryTemplateParams),
			`[` + create + `,"vm_nics":[{"connect_vlan_id":"v"},{"connect_vlan_id":"v","enabled":"yes"}]}]`,
			"body[0].vm_nics[1].enabled: expected boolean",
		},
		"string":            {new(LoginInput), `{"username":1,"password":"p"}`, "body.username: expected string"},
		"null string":       {new(LoginInput), `{"username":null,"password":"p"}`, "body.username: expected string"},
		"enum":              {new(LoginInput), `{"username":"u","password":"p","source":"NIS"}`, `body.source: "NIS" is not one of AUTHN, LDAP, LOCAL, SSO`},
		"integer as text":   {new(ListRequest), `{"first":"1"}`, "body.first: expected integer"},
		"fraction":          {new(ListRequest), `{"first":1.5}`, "body.first: expected integer"},
		"huge":              {new(ListRequest), `{"first":1e400}`, "body.first: expected integer"},
		"too wide":          {new(ListRequest), `{"first":2147483648}`, "body.first: 2147483648 does not fit into 32 bits"},
		"below the minimum": {new([]VMVlanCreationParams), `[{"name":"v","vds_id":"d","vlan_id":-1}]`, "body[0].vlan_id: expected at least 0"},
		"above the maximum": {new([]VMVlanCreationParams), `[{"name":"v","vds_id":"d","vlan_id":4096}]`, "body[0].vlan_id: expected at most 4095"},
		"too few elements":  {new(VMAddGPUDeviceParams), `{"where":{},"data":[]}`, "body.data: expected at least 1 element"},
		"null optional":     {new(VMUpdateParams), `{"where":{},"data":{"name":null}}`, "body.data.name: expected string"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := Decode([]byte(test.body), test.into)
			if err == nil {
				t.Fatalf("Decode(%s) succeeded with %+v", test.body, test.into)
			}
			var decodeErr *DecodeError
			if !errors.As(err, &decodeErr) {
				t.Errorf("the error is a %T", err)
			}
			if err.Error() != test.want {
				t.Errorf("Decode(%s)\n got %s\nwant %s", test.body, err, test.want)
			}
		})
	}
}

func TestDecodeNeedsAPointer(t *testing.T) {
	t.Parallel()
	for _, into := range []any{nil, VMStartParams{}, (*VMStartParams)(nil)} {
		if err := Decode([]byte(`{"where":{}}`), into); err == nil {
			t.Errorf("Decode into %T succeeded", into)
		}
	}
}

func TestDecodeKeepsAbsentNullAndValueApart(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body string
		want LoginInput
	}{
		"absent": {`{"username":"u","password":"p"}`, LoginInput{Username: "u", Password: "p"}},
		"null": {
			`{"username":"u","password":"p","source":null}`,
			LoginInput{Username: "u", Password: "p", Source: Opt[UserSource]{Set: true, Null: true}},
		},
		"value": {
			`{"username":"u","password":"p","source":"LDAP"}`,
			LoginInput{Username: "u", Password: "p", Source: some(UserSourceLdap)},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got LoginInput
			if err := Decode([]byte(test.body), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(LoginInput{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeListRequest(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body string
		want ListRequest
	}{
		"empty body": {"", ListRequest{}},
		"nulls":      {`{"where":null,"first":null,"orderBy":null}`, ListRequest{}},
		"all": {
			`{"where":{"id":"x"},"first":1.0,"last":2,"skip":3e0,"before":"b","after":"a","orderBy":"id_ASC"}`,
			ListRequest{
				Where: []byte(`{"id":"x"}`), First: Ptr(1), Last: Ptr(2), Skip: Ptr(3),
				Before: Ptr("b"), After: Ptr("a"), OrderBy: Ptr("id_ASC"),
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got ListRequest
			if err := Decode([]byte(test.body), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(ListRequest{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeIgnoresUnknownMembersOfOpenObjects(t *testing.T) {
	t.Parallel()
	var got VMUpdateParams
	body := `{"where":{"id":"x"},"data":{"ha":true,"ha_priority":"LEVEL_1_LOW"},"extra":[1]}`
	if err := Decode([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if got.Data.HA == nil || !*got.Data.HA || got.Data.Name != nil || string(got.Where) != `{"id":"x"}` {
		t.Errorf("got %+v", got)
	}
}

// TestDecodeTakesWhatTheVendorsClientSends covers members that the API
// description requires although the vendor's client omits them.
func TestDecodeTakesWhatTheVendorsClientSends(t *testing.T) {
	t.Parallel()
	for body, into := range map[string]any{
		`{"where":{"id":"x"}}`:                        new(IscsiLunDeletionParams),
		`[{"iscsi_target_id":"t","snapshot_id":"s"}]`: new([]IscsiLunCloneParams),
	} {
		if err := Decode([]byte(body), into); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestDecodeDoesNotKeepTheBody(t *testing.T) {
	t.Parallel()
	body := []byte(`{"where":{"id":"x"}}`)
	var got VMStartParams
	if err := Decode(body, &got); err != nil {
		t.Fatal(err)
	}
	clear(body)
	if string(got.Where) != `{"id":"x"}` {
		t.Errorf("the filter changed with the body's buffer: %q", got.Where)
	}
}

// FuzzDecode decodes bodies as every request type: no body may cause a panic,
// and an accepted body must stay the same when it is written and read again.
func FuzzDecode(f *testing.F) {
	for _, body := range []string{
		``, `null`, `{}`, `[{}]`, `{"where":{"id":"x"},"data":{}}`, `[{"name":"a","cluster_id":"c","vm_nics":[{"enabled":1}]}]`,
		`{"username":"u","password":"p","source":null}`, `{"where":null,"first":1e0}`, `[[[[`, "{\"a\":\"\xff\"}",
		`{"where":{"id":"x"},"data":{"vm_disks":{"mount_disks":[{"boot":1,"bus":"SCSI","vm_volume_id":"v"}]}}}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for i := range Operations {
			op := &Operations[i]
			newRequest := bodiesByPath[op.Path].newRequest
			if newRequest == nil {
				continue
			}
			into := newRequest()
			if err := Decode([]byte(body), into); err != nil {
				if !strings.HasPrefix(err.Error(), "body") {
					t.Errorf("%s: the error does not name the place: %v", op.Path, err)
				}
				continue
			}
			again := newRequest()
			if err := Decode(marshal(t, into), again); err != nil {
				t.Errorf("%s: %s is accepted, but not what it is written as: %v", op.Path, body, err)
			}
		}
	})
}

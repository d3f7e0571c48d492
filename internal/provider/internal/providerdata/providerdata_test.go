// SPDX-License-Identifier: MPL-2.0

package providerdata_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerdata"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

func TestFrom(t *testing.T) {
	t.Parallel()
	data := &providerdata.Data{Version: "1.2.3"}
	cases := map[string]struct {
		in        any
		want      *providerdata.Data
		wantError string
	}{
		"not configured yet": {in: nil},
		"configured":         {in: data, want: data},
		"wrong type":         {in: "something", wantError: "string"},
		"wrong pointer":      {in: &tower.Config{}, wantError: "*tower.Config"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := resource.ConfigureResponse{}
			if got := providerdata.FromResource(resource.ConfigureRequest{ProviderData: tc.in}, &r); got != tc.want {
				t.Errorf("FromResource = %v, want %v", got, tc.want)
			}
			checkBug(t, r.Diagnostics, tc.wantError)

			d := datasource.ConfigureResponse{}
			if got := providerdata.FromDataSource(datasource.ConfigureRequest{ProviderData: tc.in}, &d); got != tc.want {
				t.Errorf("FromDataSource = %v, want %v", got, tc.want)
			}
			checkBug(t, d.Diagnostics, tc.wantError)
		})
	}
}

func checkBug(t *testing.T, diags diag.Diagnostics, mention string) {
	t.Helper()
	if mention == "" {
		if len(diags) != 0 {
			t.Errorf("diagnostics %v, want none", diags)
		}
		return
	}
	if len(diags) != 1 || diags.ErrorsCount() != 1 {
		t.Fatalf("diagnostics %v, want one error", diags)
	}
	detail := diags[0].Detail()
	if !strings.Contains(detail, mention) || !strings.Contains(detail, "bug in the provider") {
		t.Errorf("detail %q does not name %s as a bug", detail, mention)
	}
}

func TestClient_notKnownYet(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]*providerdata.Data{"nil": nil, "without client": {Version: "1"}} {
		var diags diag.Diagnostics
		client, ok := data.Client(&diags)
		if client != nil || ok {
			t.Errorf("%s: Client = %v, %t", name, client, ok)
		}
		if len(diags) != 1 || diags[0].Summary() != "Provider configuration not known yet" {
			t.Errorf("%s: diagnostics %v", name, diags)
		}
	}
}

func TestClient(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	want := &tower.Client{}
	got, ok := (&providerdata.Data{Tower: want}).Client(&diags)
	if got != want || !ok || len(diags) != 0 {
		t.Errorf("Client = %p, %t, %v, want %p", got, ok, diags, want)
	}
}

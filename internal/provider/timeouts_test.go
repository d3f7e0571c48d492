// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestTimeouts_refused sets each time-out of each resource and action to what is
// no time, which must be refused at the argument and in the words of the other
// durations.
func TestTimeouts_refused(t *testing.T) {
	t.Parallel()
	server := serve()
	all := schemas(t, server)
	for name, schema := range all.ResourceSchemas {
		checkTimeouts(t, name, schema, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			resp, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: config})
			if err != nil {
				t.Fatal(err)
			}
			return resp.Diagnostics
		})
	}
	actions, ok := server.(tfprotov6.ActionServer)
	if !ok {
		t.Fatal("the provider serves no actions")
	}
	for name, schema := range all.ActionSchemas {
		checkTimeouts(t, name, schema.Schema, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			resp, err := actions.ValidateActionConfig(t.Context(), &tfprotov6.ValidateActionConfigRequest{ActionType: name, Config: config})
			if err != nil {
				t.Fatal(err)
			}
			return resp.Diagnostics
		})
	}
}

// checkTimeouts checks the members of one object's timeouts.
func checkTimeouts(t *testing.T, name string, schema *tfprotov6.Schema, validate func(*tfprotov6.DynamicValue) []*tfprotov6.Diagnostic) {
	t.Helper()
	object, ok := schema.ValueType().(tftypes.Object)
	if !ok {
		t.Fatalf("the schema of %s is a %s", name, schema.ValueType())
	}
	timeouts, ok := object.AttributeTypes["timeouts"].(tftypes.Object)
	if !ok {
		t.Errorf("%s has no timeouts", name)
		return
	}
	for member := range timeouts.AttributeTypes {
		for value, problem := range map[string]string{
			"ten": "that is not a duration", "30": "that is not a duration", "0s": "a duration of zero is not allowed", "-5m": "a duration can't be negative", "90s": "",
		} {
			members := map[string]tftypes.Value{}
			for m := range timeouts.AttributeTypes {
				members[m] = tftypes.NewValue(tftypes.String, nil)
			}
			members[member] = text(value)
			var found []string
			for _, d := range validate(dynamic(t, schema, values{"timeouts": tftypes.NewValue(timeouts, members)})) {
				if d.Attribute.Equal(tftypes.NewAttributePath().WithAttributeName("timeouts").WithAttributeName(member)) {
					found = append(found, d.Summary+": "+d.Detail)
				}
			}
			want := fmt.Sprintf(`Invalid duration: timeouts.%s is %q: %s. It must be a duration such as "30s" or "1m30s", longer than 0s.`, member, value, problem)
			if problem == "" {
				want = ""
			}
			if got := strings.Join(found, "\n"); got != want {
				t.Errorf("%s: errors at timeouts.%s = %q:\n%s\nwant:\n%s", name, member, value, got, want)
			}
		}
	}
}

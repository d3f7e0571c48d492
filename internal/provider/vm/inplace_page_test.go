// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/vm"
)

var updatePage = flag.Bool("update", false, "write the page that is made from the table of changes")

// The page, and what it is made from besides the table.
const (
	inPlacePage     = "../../../templates/guides/what-changes-in-place.md"
	inPlaceTemplate = "testdata/what-changes-in-place.md.tmpl"
)

// Every argument has a row in the table, and no row is of something else.
func TestInPlace_everyArgumentHasARow(t *testing.T) {
	t.Parallel()
	var resp resource.SchemaResponse
	vm.NewResource().Schema(t.Context(), resource.SchemaRequest{}, &resp)
	arguments := map[string]bool{}
	collectArguments(t, "", resp.Schema.Attributes, arguments)
	keys := map[string]string{}
	for _, row := range inPlaceRows() {
		if _, ok := arguments[row.argument]; !ok {
			t.Errorf("there is a row of %s, which is no argument", row.argument)
		}
		arguments[row.argument] = true
		if other, taken := keys[row.key()]; taken {
			t.Errorf("two rows are called %s, of %s and of %s", row.key(), other, row.argument)
		}
		keys[row.key()] = row.argument
		if row.effect == refused && (len(row.refusal) == 0 || row.advice == "") {
			t.Errorf("%s is refused, but the row does not say how, or what to do", row.key())
		}
	}
	for _, argument := range slices.Sorted(maps.Keys(arguments)) {
		if !arguments[argument] {
			t.Errorf("no row says what changing %s does", argument)
		}
	}
}

// collectArguments notes the paths of all attributes that can be configured.
func collectArguments(t *testing.T, prefix string, attributes map[string]schema.Attribute, into map[string]bool) {
	t.Helper()
	for name, attribute := range attributes {
		if !attribute.IsRequired() && !attribute.IsOptional() {
			continue
		}
		path := prefix + name
		into[path] = false
		switch nested := attribute.(type) {
		case schema.SingleNestedAttribute:
			collectArguments(t, path+".", nested.Attributes, into)
		case schema.ListNestedAttribute:
			collectArguments(t, path+".", nested.NestedObject.Attributes, into)
		case schema.StringAttribute, schema.BoolAttribute, schema.Int64Attribute, schema.ListAttribute, schema.MapAttribute:
		default:
			t.Fatalf("%s is of a kind that this test does not look into: %T", path, attribute)
		}
	}
}

// The page says what the table says; -update writes it.
func TestInPlace_page(t *testing.T) {
	t.Parallel()
	page := template.Must(template.New(filepath.Base(inPlaceTemplate)).Funcs(template.FuncMap{"table": renderTable}).ParseFiles(inPlaceTemplate))
	var want bytes.Buffer
	if err := page.Execute(&want, inPlaceTable()); err != nil {
		t.Fatal(err)
	}
	if *updatePage {
		if err := os.WriteFile(inPlacePage, want.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(inPlacePage)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not what the table says: run 'make docs' and commit the result", inPlacePage)
	}
}

// renderTable is a section's rows as a table in Markdown.
func renderTable(section inPlaceSection) string {
	var b strings.Builder
	b.WriteString("| argument | change | what happens | Tower's operations |\n|---|---|---|---|\n")
	var arguments []string
	for i, row := range section.rows {
		arguments = append(arguments, "`"+row.argument+"`")
		if i+1 < len(section.rows) && row.cells() == section.rows[i+1].cells() {
			continue // what is alike shares a line
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(slices.Compact(arguments), ", "), row.cells())
		arguments = nil
	}
	return b.String()
}

// cells are the row's without the first.
func (r inPlaceRow) cells() string {
	when := r.when
	if when == "" {
		when = "any"
	}
	return when + " | " + r.happens() + " | " + r.operations()
}

// happens says what the change does, and what to know of it.
func (r inPlaceRow) happens() string {
	text := map[effect]string{
		unseen:   "nothing, and no change is planned",
		recorded: "noted in the state; nothing is sent",
		inPlace:  "in place",
		restarts: "**stops and starts the VM** if it runs",
		replaces: "**replaces the VM**",
		refused:  "refused at plan",
	}[r.effect]
	if r.advice == "" {
		return text
	}
	return text + ". " + r.advice
}

// operations are those that the change comes to, without what they carry. That
// a replaced VM is deleted and made goes without saying.
func (r inPlaceRow) operations() string {
	if r.effect == replaces || len(r.calls) == 0 {
		return "–"
	}
	var names []string
	for _, call := range r.calls {
		operation, _, _ := strings.Cut(call, " ")
		if name := "`" + operation + "`"; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

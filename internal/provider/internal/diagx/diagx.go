// SPDX-License-Identifier: MPL-2.0

// Package diagx turns errors of Tower's client into diagnostics that a user can act
// on, in the same words for all objects.
package diagx

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// Summary returns the title of a diagnostic about a failed operation: Unable to
// create VM "web-1". Verb is create, read, update, delete or import; name may be
// "".
func Summary(verb, object, name string) string {
	if name == "" {
		return fmt.Sprintf("Unable to %s %s", verb, object)
	}
	return fmt.Sprintf("Unable to %s %s %q", verb, object, name)
}

// AddError adds an error that says that the operation on the object failed, what
// Tower said, and what the user can do.
func AddError(diags *diag.Diagnostics, verb, object, name string, err error) {
	diags.AddError(Summary(verb, object, name), Detail(err))
}

// AddAttributeError is AddError for an error that one attribute has caused.
func AddAttributeError(diags *diag.Diagnostics, p path.Path, verb, object, name string, err error) {
	diags.AddAttributeError(p, Summary(verb, object, name), Detail(err))
}

// AddBug adds an error about an impossible state. Detail is a sentence that says
// what was found.
func AddBug(diags *diag.Diagnostics, summary, detail string) {
	diags.AddError(summary, sentence(detail)+" This is a bug in the provider; please report it.")
}

// AddNotFound adds an error that says that there is no object with the id in the
// attribute at p. Object is its kind, such as "VM".
func AddNotFound(diags *diag.Diagnostics, p path.Path, object, id string) {
	diags.AddAttributeError(p, Capitalise(object)+" not found",
		fmt.Sprintf("Tower has no %s with the id %q that this user can see. Check the id, or look it up with a data source.", object, id))
}

// NameArguments adds the paths of nested attributes to the details of their errors
// and warnings, because the CLI shows only the resource.
func NameArguments(diags *diag.Diagnostics) {
	for i, d := range *diags {
		at, ok := d.(diag.DiagnosticWithPath)
		if !ok || len(at.Path().Steps()) < 2 || strings.Contains(d.Detail(), at.Path().String()) {
			continue
		}
		detail := d.Detail() + "\n\nArgument: " + at.Path().String()
		if d.Severity() == diag.SeverityWarning {
			(*diags)[i] = diag.NewAttributeWarningDiagnostic(at.Path(), d.Summary(), detail)
		} else {
			(*diags)[i] = diag.NewAttributeErrorDiagnostic(at.Path(), d.Summary(), detail)
		}
	}
}

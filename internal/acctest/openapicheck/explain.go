// SPDX-License-Identifier: MPL-2.0

package openapicheck

import (
	"errors"

	"github.com/getkin/kin-openapi/openapi3"
)

// explain turns a validation error into one line for each fault: its place as a
// JSON pointer, then what is wrong. It leaves out values, which may be secret.
func explain(err error) []string {
	// errors.As would find only the first of several errors, so this looks at each
	// layer itself. The innermost layer has the whole place and the reason.
	for layer := err; layer != nil; layer = errors.Unwrap(layer) {
		switch e := any(layer).(type) {
		case openapi3.MultiError:
			var out []string
			for _, part := range e {
				out = append(out, explain(part)...)
			}
			return out
		case *openapi3.SchemaError:
			if e.Origin != nil {
				return explain(e.Origin)
			}
			place := ""
			for _, key := range e.JSONPointer() {
				place += "/" + key
			}
			return []string{place + ": " + e.Reason}
		}
	}
	if err == nil {
		return nil
	}
	return []string{": " + err.Error()}
}

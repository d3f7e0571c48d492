// SPDX-License-Identifier: MPL-2.0

package wire

// bodies are the bodies of one operation.
type bodies struct {
	newRequest, newResponse func() any  // pointers to zero bodies; a nil newRequest: no JSON body
	form                    []formField // the parts of a multipart request
}

// formField is one part of a multipart body.
type formField struct {
	name           string
	required, file bool
}

// some returns a member that has a value.
func some[T any](value T) Opt[T] { return Opt[T]{Set: true, Value: value} }

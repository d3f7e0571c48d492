// SPDX-License-Identifier: MPL-2.0

package wire

// Operation describes one operation of the API.
type Operation struct {
	// Path is relative to the API's base path and starts with a slash.
	Path string
	// Method is the HTTP method.
	Method string
	// ID is the operation's name in the API description.
	ID string
	// Tag is the group that the API description puts the operation in.
	Tag string
	// Request names the Go type of the JSON body, of one element if RequestArray
	// is set; empty if the operation takes no JSON body.
	Request string
	// RequestArray tells that the body is a list.
	RequestArray bool
	// NewRequest returns a pointer to a zero body to decode into; nil if the
	// operation takes no JSON body.
	NewRequest func() any
	// Form lists the parts of a multipart body, empty for other operations.
	Form []FormField
	// Response names the Go type of the reply, of one element if ResponseArray is set.
	Response string
	// ResponseArray tells that the reply is a list.
	ResponseArray bool
	// NewResponse returns a pointer to a zero reply.
	NewResponse func() any
	// Task tells that the reply, or each element of it, carries a task's id.
	Task bool
	// List tells that the reply is the matching rows of Entity as they are.
	List bool
	// Connection tells that the operation counts the rows of Entity.
	Connection bool
	// NotModified tells that the operation may answer 304.
	NotModified bool
	// Entity is the entity whose rows the operation filters by its body's where,
	// orderBy and paging members; empty for operations of another kind. An
	// operation that is neither List nor Connection computes its reply from the rows.
	Entity string
	// Since is the first Tower version that has the operation; empty means every
	// version that the simulator plays.
	Since string
}

// FormField is one part of a multipart body.
type FormField struct {
	// Name is the part's name.
	Name string
	// Required tells that the part must be there.
	Required bool
	// File tells that the part is a file, not text.
	File bool
}

// OperationAt returns the operation at a path relative to the base path.
func OperationAt(path string) (*Operation, bool) {
	op, ok := operationsByPath[path]
	return op, ok
}

var operationsByPath = func() map[string]*Operation {
	byPath := make(map[string]*Operation, len(Operations))
	for i := range Operations {
		byPath[Operations[i].Path] = &Operations[i]
	}
	return byPath
}()

// SPDX-License-Identifier: MPL-2.0

package wire

// Operation describes one operation of the API.
type Operation struct {
	// Path is relative to the API's base path and starts with a slash.
	Path string
	// Method is the HTTP method.
	Method string
	// Tag is the group that the API description puts the operation in.
	Tag string
	// Response names the Go type of the reply, or of one element if the reply is a
	// list.
	Response string
	// List is true if the reply is the matching rows of Entity as they are.
	List bool
	// Connection is true if the operation counts the rows of Entity.
	Connection bool
	// Entity is the entity whose rows the operation filters by its body's where,
	// orderBy and paging members; it is empty for operations of another kind. An
	// operation that is neither List nor Connection computes its reply from the rows.
	Entity string
	// Since is the first Tower version that has the operation; empty means every
	// version that can be simulated.
	Since string
}

// OperationAt returns the operation with a path relative to the base path.
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

// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// graphQLPath is where GraphQL is served.
const graphQLPath = "/api"

// graphQLError is Tower's error body with the member that GraphQL clients read.
type graphQLError struct {
	*wire.ErrorBody

	Errors []graphQLMessage `json:"errors"`
}

type graphQLMessage struct {
	Message string `json:"message"`
}

// graphQLRequest is the body of a GraphQL request.
type graphQLRequest struct {
	Query     string         `json:"query"`
	Variables map[string]any `json:"variables"`
}

// graphQL answers what Tower offers over GraphQL only: log-in strategies, API
// keys, and the edit of a whole VM.
func (c *call) graphQL() (any, error) {
	var request graphQLRequest
	if err := json.Unmarshal(c.body, &request); err != nil {
		return nil, badRequest("body: malformed JSON: %v", err)
	}

	fields, err := parseGraphQL(request.Query)
	if err != nil {
		return nil, badRequest("query: %v", err)
	}

	if c.forceLock {
		return nil, resourceLocked(nil)
	}

	data := map[string]any{}

	for _, field := range fields {
		value, err := c.resolve(field, request.Variables)
		if err != nil {
			return nil, err
		}

		data[field.alias] = value
	}

	return map[string]any{"data": data}, nil
}

func (c *call) resolve(field gqlField, variables map[string]any) (any, error) {
	switch field.name {
	case "updateVm":
		return c.graphQLUpdateVM(field, variables)
	case "authnStrategies":
		return []any{field.pick(map[string]any{"id": strategyID(), "type": "LDAP", "name": "LDAP"})}, nil
	case "createApiKey":
		if err := c.authenticate(graphQLName); err != nil {
			return nil, err
		}

		name, err := field.text(variables, "data", "name")
		if err != nil {
			return nil, err
		}

		token, key := c.server.createAPIKey(c.user, name)

		return field.pick(map[string]any{
			"id": key.id, "key": token, "name": name,
			"roles": mapSlice(c.user.row.Roles, func(r wire.NestedUserRoleNext) any { return map[string]any{"id": r.ID, "name": r.Name} }),
		}), nil
	case "deleteApiKey":
		if err := c.authenticate(graphQLName); err != nil {
			return nil, err
		}

		token, err := field.text(variables, "where", "key")
		if err != nil {
			return nil, err
		}

		key, ok := c.server.apiKeys[token]
		if !ok {
			return nil, notFound("there is no such API key")
		}

		delete(c.server.apiKeys, token)

		return field.pick(map[string]any{"id": key.id, "key": token, "name": key.name}), nil
	default:
		return nil, notSimulated(field.name + " of GraphQL")
	}
}

// pick returns the members that the field selects, or all members if it selects
// none.
func (f gqlField) pick(object map[string]any) map[string]any {
	if len(f.fields) == 0 {
		return object
	}

	picked := map[string]any{}

	for _, sub := range f.fields {
		value := object[sub.name]

		if list, ok := value.([]any); ok {
			value = mapSlice(list, func(x any) any {
				if member, ok := x.(map[string]any); ok {
					return sub.pick(member)
				}

				return x
			})
		}

		picked[sub.alias] = value
	}

	return picked
}

// text returns the text at a path of the field's arguments.
func (f gqlField) text(variables map[string]any, path ...string) (string, error) {
	var value any = f.arguments

	for _, step := range path {
		object, ok := substitute(value, variables).(map[string]any)
		if !ok {
			return "", badRequest("%s: the argument %s is required", f.name, step)
		}

		value = object[step]
	}

	value = substitute(value, variables)

	result, ok := value.(string)
	if !ok || result == "" {
		return "", badRequest("%s: the argument %s must be text", f.name, path[len(path)-1])
	}

	return result, nil
}

// graphQLMutates reports whether a body asks GraphQL for a change.
func graphQLMutates(body []byte) bool {
	return slices.ContainsFunc(graphQLFields(body), func(f gqlField) bool {
		return f.name == "updateVm" || f.name == "createApiKey" || f.name == "deleteApiKey"
	})
}

// graphQLArguments returns the arguments that are written in the query itself
// instead of in variables.
func graphQLArguments(body []byte) []any {
	return mapSlice(graphQLFields(body), func(f gqlField) any { return f.arguments })
}

// graphQLFields returns the fields that a body asks for; none if the body is
// malformed.
func graphQLFields(body []byte) []gqlField {
	var request graphQLRequest
	if json.Unmarshal(body, &request) != nil {
		return nil
	}

	fields, err := parseGraphQL(request.Query)
	if err != nil {
		return nil
	}

	return fields
}

// substitute returns the value of a variable, or the value itself if it is not
// a variable.
func substitute(value any, variables map[string]any) any {
	if name, ok := value.(gqlVariable); ok {
		return variables[string(name)]
	}

	return value
}

// input decodes an argument of the field into a struct, as strictly as REST
// bodies: GraphQL inputs are closed.
func (f gqlField) input(variables map[string]any, name string, into any) error {
	raw, err := json.Marshal(substituteAll(f.arguments[name], variables))
	if err != nil {
		return badRequest("%s: the argument %s: %s", f.name, name, err)
	}

	if string(raw) == "null" {
		raw = []byte("{}")
	}

	if err := wire.Decode(raw, into); err != nil {
		return badRequest("%s: the argument %s: %s", f.name, name, err)
	}

	return nil
}

// substituteAll replaces variables by their values, at any depth. Null members
// are treated as absent.
func substituteAll(value any, variables map[string]any) any {
	switch content := substitute(value, variables).(type) {
	case map[string]any:
		object := make(map[string]any, len(content))

		for key, member := range content {
			if member = substituteAll(member, variables); member != nil {
				object[key] = member
			}
		}

		return object
	case []any:
		return mapSlice(content, func(item any) any { return substituteAll(item, variables) })
	default:
		return content
	}
}

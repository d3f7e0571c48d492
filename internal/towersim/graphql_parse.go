// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/scanner"
)

// gqlField is one field of a GraphQL selection.
type gqlField struct {
	name, alias string
	arguments   map[string]any
	fields      []gqlField
}

// gqlVariable is the name of a variable that stands for a value.
type gqlVariable string

// gqlMaxDepth limits the nesting of a query, and so the stack.
const gqlMaxDepth = 32

// gqlParser parses one operation. It knows no fragments and no directives,
// which the simulator does not need.
type gqlParser struct {
	scan  scanner.Scanner
	token string
	kind  rune
	depth int
}

// parseGraphQL returns the top-level fields of a document with one operation.
func parseGraphQL(query string) ([]gqlField, error) {
	p := &gqlParser{}
	p.scan.Init(strings.NewReader(query))
	p.scan.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanFloats | scanner.ScanStrings
	p.scan.Error = func(*scanner.Scanner, string) {}
	p.next()

	if p.token == "query" || p.token == "mutation" {
		p.next()

		if p.kind == scanner.Ident {
			p.next()
		}

		if p.token == "(" {
			if err := p.skipDefinitions(); err != nil {
				return nil, err
			}
		}
	}

	fields, err := p.selection()
	if err != nil {
		return nil, err
	}

	if p.kind != scanner.EOF {
		return nil, fmt.Errorf("unexpected %q after the operation", p.token)
	}

	return fields, nil
}

func (p *gqlParser) next() {
	p.kind = p.scan.Scan()

	p.token = p.scan.TokenText()
	for p.token == "," {
		p.kind = p.scan.Scan()
		p.token = p.scan.TokenText()
	}
}

func (p *gqlParser) expect(token string) error {
	if p.token != token {
		return fmt.Errorf("expected %q, not %q", token, p.token)
	}

	p.next()

	return nil
}

// skipDefinitions skips the definitions of an operation's variables.
func (p *gqlParser) skipDefinitions() error {
	for p.token != ")" {
		if p.kind == scanner.EOF {
			return errors.New("the list of variables has no end")
		}

		p.next()
	}

	p.next()

	return nil
}

func (p *gqlParser) deeper() error {
	p.depth++
	if p.depth > gqlMaxDepth {
		return errors.New("nested too deeply")
	}

	return nil
}

func (p *gqlParser) selection() ([]gqlField, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()

	if err := p.expect("{"); err != nil {
		return nil, err
	}

	var fields []gqlField

	for p.token != "}" {
		field, err := p.field()
		if err != nil {
			return nil, err
		}

		fields = append(fields, field)
	}

	p.next()

	return fields, nil
}

func (p *gqlParser) name() (string, error) {
	if p.kind != scanner.Ident {
		return "", fmt.Errorf("expected a name, not %q", p.token)
	}

	name := p.token
	p.next()

	return name, nil
}

func (p *gqlParser) field() (gqlField, error) {
	name, err := p.name()
	if err != nil {
		return gqlField{}, err
	}

	field := gqlField{name: name, alias: name}

	if p.token == ":" {
		p.next()

		if field.name, err = p.name(); err != nil {
			return gqlField{}, err
		}
	}

	if p.token == "(" {
		p.next()

		if field.arguments, err = p.members(")"); err != nil {
			return gqlField{}, err
		}
	}

	if p.token == "{" {
		if field.fields, err = p.selection(); err != nil {
			return gqlField{}, err
		}
	}

	return field, nil
}

// members parses names with values up to an end token.
func (p *gqlParser) members(end string) (map[string]any, error) {
	object := map[string]any{}

	for p.token != end {
		name, err := p.name()
		if err != nil {
			return nil, err
		}

		if err := p.expect(":"); err != nil {
			return nil, err
		}

		if object[name], err = p.value(); err != nil {
			return nil, err
		}
	}

	p.next()

	return object, nil
}

func (p *gqlParser) value() (any, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()

	switch {
	case p.token == "{":
		p.next()

		return p.members("}")
	case p.token == "[":
		p.next()

		return p.list()
	case p.token == "$":
		p.next()

		name, err := p.name()

		return gqlVariable(name), err
	}

	return p.literal()
}

func (p *gqlParser) list() (any, error) {
	list := []any{}

	for p.token != "]" {
		value, err := p.value()
		if err != nil {
			return nil, err
		}

		list = append(list, value)
	}

	p.next()

	return list, nil
}

func (p *gqlParser) literal() (any, error) {
	token, kind := p.token, p.kind
	p.next()

	switch kind {
	case scanner.String:
		// A GraphQL string is written like a JSON string.
		var text string
		if err := json.Unmarshal([]byte(token), &text); err != nil {
			return nil, fmt.Errorf("the text %s is not valid", token)
		}

		return text, nil
	case scanner.Int, scanner.Float:
		number, err := strconv.ParseFloat(token, 64)
		if err != nil {
			return nil, fmt.Errorf("the number %s is not valid", token)
		}

		return number, nil
	case scanner.Ident:
		switch token {
		case "true", "false":
			return token == "true", nil
		case "null":
			return nil, nil
		}

		return token, nil // an enum value
	default:
		return nil, fmt.Errorf("expected a value, not %q", token)
	}
}

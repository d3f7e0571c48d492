// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"sort"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// ScenarioError says what is wrong in a scenario, and where.
type ScenarioError struct {
	Line   int    // in the document, starting at 1; 0 for a scenario in Go
	Field  string // such as inventory.clusters[0].hosts
	Reason string
}

// Error returns the line, the field and the reason in one line.
func (e *ScenarioError) Error() string {
	var b strings.Builder

	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}

	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}

	b.WriteString(e.Reason)

	return b.String()
}

// selfDecoder is implemented by types that decode themselves from a node. Their
// errors are the reasons alone; the decoder adds the place.
type selfDecoder interface {
	fromNode(n *yaml.Node) error
}

// errDecodeAsList is returned by a selfDecoder that is a list, if the node is a
// list too.
var errDecodeAsList = errors.New("a list")

// defaulter is implemented by types that have defaults other than zero.
type defaulter interface {
	setDefaults()
}

// decoder fills Go values from a YAML tree. Unknown and repeated keys are
// errors, and every error names its line and field. The decoder remembers the
// line of each field for the checks that come later.
type decoder struct {
	lines map[string]int
}

// decodeDocument fills into, a pointer, from one YAML or JSON document. An
// empty document changes nothing.
func decodeDocument(document []byte, root string, into any) (*decoder, error) {
	d := &decoder{lines: map[string]int{}}
	reader := yaml.NewDecoder(bytes.NewReader(document))

	var tree yaml.Node
	if err := reader.Decode(&tree); err != nil {
		if errors.Is(err, io.EOF) {
			return d, nil
		}

		return nil, syntaxError(err)
	}

	var more yaml.Node
	if err := reader.Decode(&more); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, syntaxError(err)
		}

		return nil, &ScenarioError{Line: more.Line, Field: root, Reason: "only one document is expected"}
	}

	if err := d.value(&tree, root, reflect.ValueOf(into).Elem()); err != nil {
		return nil, err
	}

	return d, nil
}

// syntaxError converts a message of the YAML reader, which starts with "yaml:"
// and the line, into a [*ScenarioError].
func syntaxError(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")

	var line int
	if _, scanErr := fmt.Sscanf(text, "line %d:", &line); scanErr == nil {
		_, text, _ = strings.Cut(text, ": ")
	}

	return &ScenarioError{Line: line, Reason: "not valid YAML: " + text}
}

func (d *decoder) fail(n *yaml.Node, path, format string, args ...any) error {
	return &ScenarioError{Line: n.Line, Field: path, Reason: fmt.Sprintf(format, args...)}
}

func (d *decoder) value(n *yaml.Node, path string, into reflect.Value) error {
	switch n.Kind {
	case yaml.DocumentNode:
		return d.value(n.Content[0], path, into)
	case yaml.AliasNode:
		return d.value(n.Alias, path, into)
	}

	d.lines[path] = n.Line

	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}

	if into.Kind() == reflect.Pointer {
		fresh := reflect.New(into.Type().Elem())
		if err := d.value(n, path, fresh.Elem()); err != nil {
			return err
		}

		into.Set(fresh)

		return nil
	}

	if self, ok := into.Addr().Interface().(selfDecoder); ok {
		err := self.fromNode(n)
		if errors.Is(err, errDecodeAsList) {
			return d.list(n, path, into)
		}

		if err != nil {
			return d.fail(n, path, "%s", err)
		}

		return nil
	}

	switch into.Kind() {
	case reflect.Struct:
		return d.structure(n, path, into)
	case reflect.Slice:
		return d.list(n, path, into)
	default:
		return d.scalar(n, path, into)
	}
}

func (d *decoder) structure(n *yaml.Node, path string, into reflect.Value) error {
	if n.Kind != yaml.MappingNode {
		return d.fail(n, path, "must be a mapping of keys to values, not %s", kindName(n))
	}

	if withDefaults, ok := into.Addr().Interface().(defaulter); ok {
		withDefaults.setDefaults()
	}

	fields := fieldsByKey(into.Type())
	seen := map[string]int{}

	for i := 0; i+1 < len(n.Content); i += 2 {
		key, member := n.Content[i], n.Content[i+1]
		at := joinPath(path, key.Value)

		index, known := fields[key.Value]
		if !known {
			return d.fail(key, at, "unknown key; known are %s", strings.Join(sortedKeys(fields), ", "))
		}

		if first, repeated := seen[key.Value]; repeated {
			return d.fail(key, at, "given twice, first on line %d", first)
		}

		seen[key.Value] = key.Line

		if err := d.value(member, at, into.Field(index)); err != nil {
			return err
		}
	}

	return nil
}

func (d *decoder) list(n *yaml.Node, path string, into reflect.Value) error {
	if n.Kind != yaml.SequenceNode {
		return d.fail(n, path, "must be a list, not %s", kindName(n))
	}

	items := reflect.MakeSlice(into.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		if err := d.value(item, fmt.Sprintf("%s[%d]", path, i), items.Index(i)); err != nil {
			return err
		}
	}

	into.Set(items)

	return nil
}

func (d *decoder) scalar(n *yaml.Node, path string, into reflect.Value) error {
	if into.Type() == durationType {
		span, err := durationOf(n)
		if err != nil {
			return d.fail(n, path, "%s", err)
		}

		into.SetInt(int64(span))

		return nil
	}

	// YAML takes a version such as 4.6 for a number. A text field accepts any
	// scalar as it is written.
	if into.Kind() == reflect.String && n.Kind == yaml.ScalarNode {
		into.SetString(n.Value)

		return nil
	}

	err := n.Decode(into.Addr().Interface())
	if err != nil || into.CanInt() && !isWhole(n) {
		return d.fail(n, path, "must be %s, not %s", kindText(into.Kind()), nodeText(n))
	}

	return nil
}

// isWhole reports whether a number has no fraction: decoding it as an integer
// would drop the fraction.
func isWhole(n *yaml.Node) bool {
	var number float64

	return n.Decode(&number) == nil && number == math.Trunc(number)
}

var durationType = reflect.TypeFor[time.Duration]()

func kindText(kind reflect.Kind) string {
	switch kind {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	default:
		return "text"
	}
}

func nodeText(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return fmt.Sprintf("%q", n.Value)
	}

	return kindName(n)
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return fmt.Sprintf("%q", n.Value)
	}
}

// fieldsByKey maps the yaml keys of a struct type to the indexes of its fields.
func fieldsByKey(t reflect.Type) map[string]int {
	fields := make(map[string]int, t.NumField())

	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("yaml"); key != "" {
			fields[key] = i
		}
	}

	return fields
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}

	return path + "." + key
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}

	sort.Strings(keys)

	return keys
}

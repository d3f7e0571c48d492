// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// schema is the part of an OpenAPI 3.0 schema that Tower's document uses.
type schema struct {
	Ref                  string             `json:"$ref"`
	Type                 string             `json:"type"`
	Format               string             `json:"format"`
	Nullable             bool               `json:"nullable"`
	Enum                 []string           `json:"enum"`
	Properties           map[string]*schema `json:"properties"`
	Required             []string           `json:"required"`
	Items                *schema            `json:"items"`
	AllOf                []*schema          `json:"allOf"`
	AdditionalProperties *bool              `json:"additionalProperties"`
	MinItems             int                `json:"minItems"`
	Minimum              *float64           `json:"minimum"`
	Maximum              *float64           `json:"maximum"`
}

type media struct {
	Schema *schema `json:"schema"`
}

type operation struct {
	OperationID string   `json:"operationId"`
	Tags        []string `json:"tags"`
	RequestBody *struct {
		Content map[string]media `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]media `json:"content"`
	} `json:"responses"`
}

type loadDocument struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]*schema `json:"schemas"`
	} `json:"components"`
}

func load(path string) (*loadDocument, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	doc := new(loadDocument)
	if err := json.Unmarshal(raw, doc); err != nil {
		return nil, fmt.Errorf("parse the OpenAPI document: %w", err)
	}
	return doc, nil
}

// target returns the name of the schema that s refers to, directly or through
// an allOf with one element, which marks a reference as nullable.
func (s *schema) target() string {
	if s.Ref == "" && len(s.AllOf) == 1 && len(s.Properties) == 0 {
		return s.AllOf[0].target()
	}
	return strings.TrimPrefix(s.Ref, "#/components/schemas/")
}

// flatten merges the members of an allOf of several objects into one object.
func (d *loadDocument) flatten(s *schema) *schema {
	if len(s.AllOf) < 2 {
		return s
	}
	out := &schema{Type: "object", Properties: map[string]*schema{}}
	for _, part := range s.AllOf {
		if name := part.target(); name != "" {
			part = d.Components.Schemas[name]
		}
		part = d.flatten(part)
		maps.Copy(out.Properties, part.Properties)
		out.Required = append(out.Required, part.Required...)
	}
	return out
}

// isObject reports whether s has members of its own.
func (s *schema) isObject() bool {
	return len(s.Properties) > 0 || len(s.AllOf) > 1
}

func (s *schema) closed() bool {
	return s.AdditionalProperties != nil && !*s.AdditionalProperties
}

func (s *schema) requires(name string) bool {
	return slices.Contains(s.Required, name)
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

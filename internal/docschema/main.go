// SPDX-License-Identifier: MPL-2.0

// Docschema completes the schema that a CLI has told of the provider
// (`providers schema -json`) with the kinds of objects that older CLIs leave
// out: actions, list resources and the identities of resources. Newer ones tell
// of them, but wrap the filters of a list into what `terraform query` adds, so
// the provider's own word counts in any case. The documentation is the same
// whatever CLI it is written with.
//
// Usage: docschema FILE
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/smartxworks/terraform-provider-elf/internal/provider"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: docschema FILE")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "docschema:", err)
		os.Exit(1)
	}
}

// run rewrites the file.
func run(ctx context.Context, file string) error {
	told, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	completed, err := complete(ctx, told, providerserver.NewProtocol6(provider.New("docs")())())
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, completed, 0o600)
}

// complete puts the kinds that CLIs disagree about into the schema of the only
// provider in what a CLI has told.
func complete(ctx context.Context, told []byte, server tfprotov6.ProviderServer) ([]byte, error) {
	var document struct {
		FormatVersion string                                `json:"format_version"`
		Schemas       map[string]map[string]json.RawMessage `json:"provider_schemas"`
	}
	if err := json.Unmarshal(told, &document); err != nil {
		return nil, err
	}
	if len(document.Schemas) != 1 {
		return nil, fmt.Errorf("it is about %d providers, not one", len(document.Schemas))
	}
	own, err := newerKinds(ctx, server)
	if err != nil {
		return nil, err
	}
	for _, schema := range document.Schemas {
		for kind, objects := range own {
			encoded, err := json.Marshal(objects)
			if err != nil {
				return nil, err
			}
			schema[kind] = encoded
		}
	}
	return json.Marshal(document)
}

// newerKinds asks the provider for those kinds and writes them as a CLI does.
func newerKinds(ctx context.Context, server tfprotov6.ProviderServer) (map[string]any, error) {
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return nil, err
	}
	for _, diags := range [][]*tfprotov6.Diagnostic{schemas.Diagnostics, identities.Diagnostics} {
		if len(diags) > 0 {
			return nil, fmt.Errorf("%s: %s", diags[0].Summary, diags[0].Detail)
		}
	}
	actions, lists, identified := map[string]any{}, map[string]any{}, map[string]any{}
	for name, schema := range schemas.ActionSchemas {
		actions[name] = map[string]any{"block": blockOf(schema.Schema.Block)}
	}
	for name, schema := range schemas.ListResourceSchemas {
		lists[name] = map[string]any{"version": schema.Version, "block": blockOf(schema.Block)}
	}
	for name, schema := range identities.IdentitySchemas {
		identified[name] = identityOf(schema)
	}
	return map[string]any{"action_schemas": actions, "list_resource_schemas": lists, "resource_identity_schemas": identified}, nil
}

// SPDX-License-Identifier: MPL-2.0

// Docschema completes the provider's schema as a CLI prints it (`providers
// schema -json`) with the kinds of objects that older CLIs leave out: actions,
// list resources and resource identities. Newer CLIs print them, but wrap the
// filters of a list resource in what `terraform query` adds. So docschema always
// takes these kinds from the provider itself, and the documentation is the same
// whatever CLI generates it.
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

// run completes the schema in the file.
func run(ctx context.Context, file string) error {
	printed, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	completed, err := complete(ctx, printed, providerserver.NewProtocol6(provider.New("docs")())())
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, completed, 0o600)
}

// complete adds the kinds of objects on which CLIs differ to the schema that a
// CLI has printed, which must be that of one provider.
func complete(ctx context.Context, printed []byte, server tfprotov6.ProviderServer) ([]byte, error) {
	var document struct {
		FormatVersion string                                `json:"format_version"`
		Schemas       map[string]map[string]json.RawMessage `json:"provider_schemas"`
	}
	if err := json.Unmarshal(printed, &document); err != nil {
		return nil, err
	}
	if len(document.Schemas) != 1 {
		return nil, fmt.Errorf("it has the schemas of %d providers, want one", len(document.Schemas))
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

// newerKinds returns the schemas of those kinds of objects in the JSON format of
// CLIs.
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

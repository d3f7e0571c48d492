// SPDX-License-Identifier: MPL-2.0

package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

// convert is a function from one text to another.
type convert struct {
	name, summary, description      string
	parameter, parameterDescription string
	compute                         func(string) (string, error)
}

var _ function.Function = (*convert)(nil)

// NewProviderID returns provider::elf::provider_id.
func NewProviderID() function.Function {
	return &convert{
		name:    "provider_id",
		summary: "Returns the provider id of a VM, given its local id",
		description: "Returns `elf://<local_id>`, which is the `spec.providerID` of the VM's Kubernetes node and the `provider_id` of the `elf_vm`. " +
			"It keeps upper and lower case as they are, because Kubernetes compares provider ids case-sensitively. It is an error if the argument is not a UUID.",
		parameter:            "local_id",
		parameterDescription: "Local id of the VM: the UUID that the VM has in its cluster, as in `elf_vm.local_id`.",
		compute:              ProviderID,
	}
}

// NewLocalID returns provider::elf::local_id.
func NewLocalID() function.Function {
	return &convert{
		name:    "local_id",
		summary: "Returns the local id of a VM, given its provider id",
		description: "Returns the `<local_id>` in a provider id, `elf://<local_id>`. It finds the VM of a Kubernetes node by the node's `spec.providerID`; " +
			"an `elf_vm` can be imported by its local id. It is an error if the argument is the provider id of another platform.",
		parameter:            "provider_id",
		parameterDescription: "Provider id of the VM, such as `elf://7a1c7a1e-5c0e-4a4c-9b0e-0d4f3f1b2c3d`.",
		compute:              LocalID,
	}
}

// Metadata returns the name of the function.
func (f *convert) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = f.name
}

// Definition describes the function.
func (f *convert) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             f.summary,
		MarkdownDescription: f.description,
		Parameters: []function.Parameter{
			function.StringParameter{Name: f.parameter, MarkdownDescription: f.parameterDescription},
		},
		Return: function.StringReturn{},
	}
}

// Run computes the result, or returns an error about the argument.
func (f *convert) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var argument string
	resp.Error = function.ConcatFuncErrors(resp.Error, req.Arguments.Get(ctx, &argument))
	if resp.Error != nil {
		return
	}
	result, err := f.compute(argument)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, err.Error())
		return
	}
	resp.Error = resp.Result.Set(ctx, result)
}

// SPDX-License-Identifier: MPL-2.0

package netwait

import (
	"context"

	"github.com/smartxworks/terraform-provider-elf/internal/kubenode"
)

// NodesOf adapts a directory of nodes for a wait.
func NodesOf(directory *kubenode.Directory) Nodes { return directoryNodes{directory} }

type directoryNodes struct{ directory *kubenode.Directory }

// Watch starts to look for the node of a VM.
func (n directoryNodes) Watch(ctx context.Context, q kubenode.Query) NodeWatch {
	return n.directory.Watch(ctx, q)
}

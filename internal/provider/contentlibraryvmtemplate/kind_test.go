// SPDX-License-Identifier: MPL-2.0

package contentlibraryvmtemplate

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

func TestKind_clustersAreInOrder(t *testing.T) {
	t.Parallel()
	in := tower.ContentLibraryVMTemplate{Clusters: []tower.ClusterRef{{ID: "c2", Name: "beta"}, {ID: "c1", Name: "alpha"}}}
	if got, want := Kind.Values(in)["cluster_ids"], attrs.StringList([]string{"c1", "c2"}); !got.Equal(want) {
		t.Errorf("cluster_ids %v, want %v", got, want)
	}
	if got, want := Kind.Note(in), "on alpha, beta"; got != want {
		t.Errorf("note %q, want %q", got, want)
	}
	if got, want := Kind.Note(tower.ContentLibraryVMTemplate{}), "on no cluster"; got != want {
		t.Errorf("note %q, want %q", got, want)
	}
}

func TestKind_beforeTower45(t *testing.T) {
	t.Parallel()
	got := Kind.Values(tower.ContentLibraryVMTemplate{VCPU: 2, MemoryBytes: 1 << 30})
	if !got["num_cores_per_socket"].IsNull() || !got["firmware"].IsNull() {
		t.Errorf("num_cores_per_socket %v and firmware %v, want null", got["num_cores_per_socket"], got["firmware"])
	}
	if !got["num_cpus"].Equal(types.Int64Value(2)) || !got["memory_mib"].Equal(types.Int64Value(1024)) {
		t.Errorf("num_cpus %v and memory_mib %v, want 2 and 1024", got["num_cpus"], got["memory_mib"])
	}
}

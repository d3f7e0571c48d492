// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// storagePolicy is a storage policy of a cluster.
type storagePolicy struct {
	row     wire.ElfStoragePolicy
	cluster *cluster
}

func (p *storagePolicy) id() string  { return p.row.ID }
func (p *storagePolicy) rowPtr() any { return &p.row }

func (w *world) policyRelations() map[string]func(*storagePolicy) []any {
	return map[string]func(*storagePolicy) []any{
		"cluster": func(p *storagePolicy) []any { return toOne(p.cluster) },
	}
}

// clusterPolicies are the storage policies of each cluster.
var clusterPolicies = []wire.VMVolumeElfStoragePolicyType{
	wire.VMVolumeElfStoragePolicyTypeReplica2ThinProvision, wire.VMVolumeElfStoragePolicyTypeReplica2ThickProvision,
	wire.VMVolumeElfStoragePolicyTypeReplica3ThinProvision, wire.VMVolumeElfStoragePolicyTypeReplica3ThickProvision,
}

func (w *world) addStoragePolicies(c *cluster) {
	for _, policy := range clusterPolicies {
		id := namedIDSource("storage-policy-of-cluster", c.row.Name+"/"+string(policy))
		p := &storagePolicy{cluster: c}
		p.row = wire.ElfStoragePolicy{
			ID: id.cuid(), LocalID: *c.row.LocalID + "_" + policyUUID(policy), Name: strings.ToLower(string(policy)), Cluster: c.nested(),
			ReplicaNum: int(replicas(policy)), StripeNum: 4, StripeSize: 256 << 10, ThinProvision: strings.Contains(string(policy), "THIN"),
		}
		w.policies.add(p)
	}
}

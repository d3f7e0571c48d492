// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// retainDays is how long the recycle bin keeps VMs by default.
const retainDays = 30

// globalSettings are the settings of the whole Tower. There is one row.
type globalSettings struct {
	row wire.GlobalSettings
}

func (s *globalSettings) id() string  { return s.row.ID }
func (s *globalSettings) rowPtr() any { return &s.row }

// clusterSettings are the settings of one cluster.
type clusterSettings struct {
	row     wire.ClusterSettings
	cluster *cluster
	bin     *wire.NestedVMRecycleBin // the cluster's own setting; nil means the global one
}

func (s *clusterSettings) id() string  { return s.row.ID }
func (s *clusterSettings) rowPtr() any { return &s.row }

func (w *world) clusterSettingsRelations() map[string]func(*clusterSettings) []any {
	return map[string]func(*clusterSettings) []any{
		"cluster": func(s *clusterSettings) []any { return toOne(s.cluster) },
	}
}

func (w *world) addGlobalSettings() {
	s := &globalSettings{}
	s.row = wire.GlobalSettings{
		ID:           namedIDSource("settings", "global").cuid(),
		VMRecycleBin: wire.NestedVMRecycleBin{Enabled: w.scenario.RecycleBin, Retain: retainDays},
	}
	w.globalSettings.add(s)
}

func (w *world) addClusterSettings(c *cluster) {
	s := &clusterSettings{cluster: c}
	s.row = wire.ClusterSettings{
		ID: namedIDSource("settings", c.row.Name).cuid(), Cluster: c.nested(), DefaultHA: wire.Ptr(true),
		DefaultStoragePolicy: wire.Ptr(defaultPolicy), EnabledIscsi: wire.Ptr(true),
	}
	w.clusterSettings.add(s)
	w.refreshRecycleBins()

	c.row.Settings = &wire.NestedClusterSettings{ID: s.row.ID}
}

// refreshRecycleBins updates the recycle bin settings in the rows of all
// clusters.
func (w *world) refreshRecycleBins() {
	for _, s := range w.clusterSettings.list {
		s.row.VMRecycleBin = s.bin
		if s.bin == nil {
			s.row.VMRecycleBin = wire.Ptr(w.globalSettings.list[0].row.VMRecycleBin)
		}
	}
}

func (w *world) settingsOf(c *cluster) *clusterSettings {
	for _, s := range w.clusterSettings.list {
		if s.cluster == c {
			return s
		}
	}

	return nil
}

// recycleBinEnabled reports whether a cluster has a recycle bin.
func (w *world) recycleBinEnabled(c *cluster) bool {
	s := w.settingsOf(c)

	return s != nil && s.row.VMRecycleBin.Enabled
}

func checkRetain(days int) error {
	if days < 1 {
		return badRequest("retain: must be at least 1 day")
	}

	return nil
}

func updateGlobalRecycleBinSetting(c *call, in *wire.GlobalRecycleBinUpdationParams) (any, error) {
	if err := checkRetain(in.Retain); err != nil {
		return nil, err
	}

	s := c.globalSettings.list[0]
	s.row.VMRecycleBin = wire.NestedVMRecycleBin{Enabled: in.Enabled, Retain: in.Retain}
	c.refreshRecycleBins()

	return withoutTask(&s.row), nil
}

func createClusterRecycleBinSetting(c *call, in *wire.ClusterRecycleBinCreationParams) (any, error) {
	return c.setRecycleBins(in.Where, &wire.NestedVMRecycleBin{Enabled: in.Data.Enabled, Retain: in.Data.Retain})
}

func updateClusterRecycleBinSetting(c *call, in *wire.ClusterRecycleBinUpdationParams) (any, error) {
	return c.setRecycleBins(in.Where, &wire.NestedVMRecycleBin{Enabled: in.Data.Enabled, Retain: in.Data.Retain})
}

// setRecycleBins gives clusters their own recycle bin setting.
func (c *call) setRecycleBins(where json.RawMessage, to *wire.NestedVMRecycleBin) (any, error) {
	if err := checkRetain(to.Retain); err != nil {
		return nil, err
	}

	clusters, err := matching(c.world, &c.clusters, wire.EntityCluster, where)
	if err != nil {
		return nil, err
	}

	return mapSlice(clusters, func(of *cluster) wire.WithTask[*wire.ClusterSettings] {
		s := c.settingsOf(of)
		s.bin = wire.Ptr(*to)
		c.refreshRecycleBins()

		return withoutTask(&s.row)
	}), nil
}

// deleteClusterRecycleBinSetting makes clusters use the global setting again.
func deleteClusterRecycleBinSetting(c *call, in *wire.ClusterRecycleBinDeletionParams) (any, error) {
	clusters, err := matching(c.world, &c.clusters, wire.EntityCluster, in.Where)
	if err != nil {
		return nil, err
	}

	return mapSlice(clusters, func(of *cluster) wire.WithTask[wire.Deleted] {
		s := c.settingsOf(of)
		s.bin = nil
		c.refreshRecycleBins()

		return withoutTask(wire.Deleted{ID: s.row.ID})
	}), nil
}

// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// volumePath is where SMTX keeps the data of a volume.
func volumePath(id string) string {
	return "iscsi://iqn.2016-02.com.smartx:system:zbs-iscsi-datastore/" + id
}

// newVolume makes a volume that no VM has yet.
func (w *world) newVolume(c *cluster, name string, size int64, policy wire.VMVolumeElfStoragePolicyType) *volume {
	v := &volume{cluster: c}
	id := w.ids.uuid()
	v.row = wire.VMVolume{
		ID: w.ids.cuid(), LocalID: id, Name: name, Path: volumePath(id), Size: size, ElfStoragePolicy: policy, Cluster: c.nested(),
		LocalCreatedAt: formatTime(w.now), Type: wire.Ptr(wire.VMVolumeTypeKvmVolume), UsedSize: wire.Ptr(int64(0)),
		VMDisks: []wire.NestedVMDisk{}, Description: wire.Ptr(""),
	}

	v.refreshLabels()
	w.volumes.add(v)

	return v
}

// attach gives a VM a disk or a CD-ROM drive, with a new volume where the shape
// names none.
func (w *world) attach(v *vm, s *diskConfig) *disk {
	d := &disk{vm: v, volume: s.volume, image: s.image, index: s.index}
	d.row = wire.VMDisk{
		ID: w.ids.cuid(), Boot: s.boot, Bus: s.bus, Type: s.kind, Key: s.key, Disabled: wire.Ptr(false), VM: v.nested(),
		MaxIOPS: s.limits.iops, MaxIOPSPolicy: s.limits.iopsPolicy,
		MaxBandwidth: s.limits.bandwidth, MaxBandwidthPolicy: s.limits.bandwidthPolicy,
	}

	if d.row.Key == nil {
		d.row.Key = wire.Ptr(v.nextKey())
	}

	if s.kind == wire.VMDiskTypeDisk && d.volume == nil {
		name := s.name
		if name == "" {
			name = fmt.Sprintf("%s-%d", v.row.Name, w.countDisks(v)+1)
		}

		d.volume = w.newVolume(v.cluster, name, s.size, s.policy)
		d.volume.linked = s.linked
	}

	if d.volume != nil {
		d.row.VMVolume = &wire.NestedVMVolume{ID: d.volume.row.ID, Name: d.volume.row.Name}
		d.row.Device = wire.Ptr("vd" + string(rune('a'+w.countDisks(v))))
		d.row.Serial = wire.Ptr(serialOf(d.volume.row.LocalID))
	}

	d.refreshImage()
	w.insertDisk(d)

	return d
}

// nextKey is a key that no disk of the VM has.
func (v *vm) nextKey() int {
	key := 1

	for _, d := range v.disks {
		if d.row.Key != nil {
			key = max(key, *d.row.Key+1)
		}
	}

	return key
}

// serialOf is what the guest sees of a volume's id.
func serialOf(localID string) string {
	return strings.ReplaceAll(localID, "-", "")[:20]
}

func (w *world) countDisks(v *vm) int {
	return len(filterSlice(v.disks, func(d *disk) bool { return d.row.Type == wire.VMDiskTypeDisk }))
}

func (d *disk) refreshImage() {
	d.row.ElfImage, d.row.SvtImage = nil, nil
	if d.image != nil {
		d.row.ElfImage = &wire.NestedElfImage{ID: d.image.row.ID, Name: d.image.row.Name}
	}

	if d.tools != nil {
		d.row.SvtImage = &wire.NestedSvtImage{ID: d.tools.row.ID, Name: d.tools.row.Name}
	}
}

// attachCloudInit gives a VM the hidden drive that its guest reads cloud-init
// data from.
func (w *world) attachCloudInit(v *vm, in *wire.TemplateCloudInit) {
	d := w.attach(v, &diskConfig{kind: wire.VMDiskTypeCdRom, bus: wire.BusIde, boot: v.nextBoot()})
	name := "cloud-init-" + v.row.LocalID + ".iso"
	d.row.CloudInitImageName = wire.Ptr(name)
	d.row.CloudInitImagePath = wire.Ptr("/usr/share/smartx/cloud-init/" + name)

	v.row.Hostname = in.Hostname
	if len(in.Nameservers) > 0 {
		v.row.DNSServers = wire.Ptr(strings.Join(in.Nameservers, ","))
	}
}

// detach takes a disk from its VM. Its volume stays.
func (w *world) detach(d *disk) {
	w.disks.remove(d)

	for _, id := range d.formerIDs {
		delete(w.formerDisks, id)
	}

	d.vm.disks = slices.DeleteFunc(d.vm.disks, func(x *disk) bool { return x == d })

	if d.volume != nil {
		d.volume.disks = slices.DeleteFunc(d.volume.disks, func(x *disk) bool { return x == d })
	}
}

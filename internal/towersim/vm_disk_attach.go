// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// volumePath returns the path of a volume's data in SMTX OS.
func volumePath(id string) string {
	return "iscsi://iqn.2016-02.com.smartx:system:zbs-iscsi-datastore/" + id
}

// newVolume adds a volume that is attached to no VM.
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

// attach adds a disk or a CD-ROM drive to a VM. If the config names no volume,
// the disk gets a new one.
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

// nextKey returns a key that no disk of the VM has.
func (v *vm) nextKey() int {
	key := 1

	for _, d := range v.disks {
		if d.row.Key != nil {
			key = max(key, *d.row.Key+1)
		}
	}

	return key
}

// serialOf returns the serial number by which the guest sees a volume.
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

// attachCloudInit adds the hidden drive with the cloud-init data to a VM.
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

// detach removes a disk from its VM. The volume stays.
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

// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// hardware is the virtual hardware of a new VM, of a template or of a snapshot.
type hardware struct {
	cores, sockets int // cores of each socket
	memory         int64
	firmware       wire.VMFirmware
	ha             bool
	cloudInit      bool // the guest supports cloud-init
	guestOS        *wire.VMGuestsOperationSystem
	videoType      *wire.VMVideoType
	limits         ioLimits
	ioPolicy       *wire.VMDiskIOPolicy
	nics           []nicConfig
	disks          []diskConfig
}

func (s *hardware) vcpu() int { return s.cores * s.sockets }

// clone returns a copy whose lists can be changed.
func (s *hardware) clone() hardware {
	c := *s
	c.nics = append([]nicConfig(nil), s.nics...)
	c.disks = append([]diskConfig(nil), s.disks...)

	return c
}

type nicConfig struct {
	vlan            *vlan
	vpc             *vpcConfig // nil if the NIC is on the network
	port            *hostNIC   // for SR-IOV
	model           wire.VMNicModel
	enabled, mirror bool
	mac             string
	requested       nicAddress
	qos             *wire.VMNicQoSOption
}

func (s *nicConfig) kind() wire.VMNicType {
	if s.vpc != nil {
		return wire.VMNicTypeVPC
	}

	return wire.VMNicTypeVlan
}

// network is the name of the VM network, "" for none.
func (s *nicConfig) network() string {
	if s.vlan == nil {
		return ""
	}

	return s.vlan.row.Name
}

type ioLimits struct {
	iops            *int
	iopsPolicy      *wire.VMDiskIORestrictType
	bandwidth       *int64
	bandwidthPolicy *wire.VMDiskIORestrictType
}

// diskConfig is one disk or CD-ROM drive.
type diskConfig struct {
	kind   wire.VMDiskType
	bus    wire.Bus
	boot   int
	index  int
	key    *int
	limits ioLimits

	// For a disk: an existing volume, or what the new volume is like.
	volume *volume
	name   string
	path   string // of a disk of a template
	size   int64
	policy wire.VMVolumeElfStoragePolicyType
	linked bool // shares the data of its source and takes no space

	image *image // in a CD-ROM drive
}

// space returns the space that the disk takes of its cluster's storage.
func (d *diskConfig) space() int64 {
	if d.kind != wire.VMDiskTypeDisk || d.volume != nil || d.linked {
		return 0
	}

	return mulSaturating(d.size, replicas(d.policy))
}

// replicas returns the number of copies that a storage policy keeps.
func replicas(policy wire.VMVolumeElfStoragePolicyType) int64 {
	switch {
	case strings.Contains(string(policy), "REPLICA_1"):
		return 1
	case strings.Contains(string(policy), "REPLICA_3"):
		return 3
	default:
		return 2
	}
}

// maxVCPU is more CPUs than any VM has. Sums over many VMs still fit into 32
// bits, which is what rows have for them.
const maxVCPU = 4096

// setCPUs sets the numbers of CPUs, cores and sockets. Numbers that the client
// has not sent are those of the source, as far as they fit.
func (s *hardware) setCPUs(vcpu, cores, sockets *int) error {
	for name, n := range map[string]*int{"vcpu": vcpu, "cpu_cores": cores, "cpu_sockets": sockets} {
		if n != nil && *n < 1 {
			return badRequest("%s: must be at least 1", name)
		}

		if n != nil && *n > maxVCPU {
			return badRequest("%s: must be at most %d", name, maxVCPU)
		}
	}

	if cores != nil {
		s.cores = *cores
	}

	if sockets != nil {
		s.sockets = *sockets
	}

	if n := s.cores * s.sockets; n > maxVCPU {
		return badRequest("cpu_cores: %d x %d are more than %d CPUs", s.cores, s.sockets, maxVCPU)
	}

	switch {
	case vcpu == nil || *vcpu == s.cores*s.sockets:
		return nil
	case cores != nil && sockets != nil:
		return badRequest("vcpu: %d is not cpu_cores x cpu_sockets, %d x %d", *vcpu, s.cores, s.sockets)
	case sockets != nil:
		s.cores = *vcpu / s.sockets
	default:
		if cores == nil && *vcpu%s.cores != 0 {
			s.cores = 1
		}

		s.sockets = *vcpu / s.cores
	}

	if s.cores*s.sockets != *vcpu {
		return badRequest("vcpu: %d cannot be divided into %d x %d", *vcpu, max(s.cores, 1), max(s.sockets, 1))
	}

	return nil
}

// byteUnits are the units of sizes, each 1024 times the one before.
var byteUnits = []wire.ByteUnit{"B", "KB", "MB", "GB", "TB", "PB"}

// bytesOf converts a number in a unit to bytes. The number must not be
// negative.
func bytesOf(n int64, unit *wire.ByteUnit) int64 {
	if unit == nil {
		return n
	}

	for _, larger := range byteUnits {
		if *unit == larger {
			break
		}

		n = mulSaturating(n, 1024)
	}

	return n
}

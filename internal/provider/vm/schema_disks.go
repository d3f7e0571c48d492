// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

const (
	busVirtio = "VIRTIO"
	busIDE    = "IDE"

	defaultStoragePolicy = "REPLICA_2_THIN_PROVISION"

	// maxDiskGiB only catches a slip of the unit.
	maxDiskGiB = 1024 * 1024
)

func busValidators() []validator.String {
	return []validator.String{stringvalidator.OneOf(busVirtio, "SCSI", busIDE)}
}

func storagePolicyValidators() []validator.String {
	return []validator.String{stringvalidator.OneOf(
		"REPLICA_1_THIN_PROVISION", "REPLICA_1_THICK_PROVISION", defaultStoragePolicy, "REPLICA_2_THICK_PROVISION",
		"REPLICA_3_THIN_PROVISION", "REPLICA_3_THICK_PROVISION",
		"ELF_CP_REPLICA_2_THIN_PROVISION", "ELF_CP_REPLICA_2_THICK_PROVISION",
		"ELF_CP_REPLICA_3_THIN_PROVISION", "ELF_CP_REPLICA_3_THICK_PROVISION",
	)}
}

func diskSizeValidators() []validator.Int64 {
	return []validator.Int64{int64validator.Between(1, maxDiskGiB)}
}

func systemDiskAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "The disk that the VM boots from. Where absent, the source's disk stays as it is; a blank VM then has none.",
		Attributes: map[string]schema.Attribute{
			"size_gib": schema.Int64Attribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Size in GiB. The source's where absent; needed for a blank VM. It can only grow, which happens in place, while the VM runs.",
				Validators:          diskSizeValidators(),
			},
			"bus": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "How the disk is attached: `VIRTIO`, `SCSI` or `IDE`. The source's where absent, `VIRTIO` for a blank VM. Changing it stops and starts the VM, which the plan announces.",
				Validators:          busValidators(),
			},
			"storage_policy": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "How the storage keeps the disk of a blank VM, such as `REPLICA_3_THICK_PROVISION`: 1 to 3 replicas, thin or thick; `ELF_CP_REPLICA_2_…` and `ELF_CP_REPLICA_3_…` in the same way. Default `REPLICA_2_THIN_PROVISION`. " +
					"It can't be set where the VM has a source, and is fixed once the disk is made: a change is refused.",
				Validators: storagePolicyValidators(),
			},
			"volume_id": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "Tower's id of the disk's volume.",
			},
		},
	}
}

func dataDisksAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Optional: true,
		MarkdownDescription: "Disks beside the system disk, recognised by `name`, so that their order does not matter. Disks that are not listed, such as those that a CSI driver attaches, " +
			"are left alone. Where the argument is absent, none is managed; `[]` removes the ones that were.",
		NestedObject: schema.NestedAttributeObject{
			Attributes: map[string]schema.Attribute{
				"name": schema.StringAttribute{
					Required: true,
					MarkdownDescription: "Name of the disk, unique on the VM, and of the volume that is made for it. A volume of this name that the VM has already is taken over. " +
						"A disk with another name is another disk.",
					Validators: []validator.String{stringvalidator.LengthBetween(1, 255)},
				},
				"size_gib": schema.Int64Attribute{
					Optional: true, Computed: true,
					MarkdownDescription: "Size in GiB; needed unless `volume_id` is set. It can only grow, which happens in place, while the VM runs.",
					Validators:          diskSizeValidators(),
				},
				"volume_id": schema.StringAttribute{
					Optional: true, Computed: true,
					MarkdownDescription: "Tower's id of the volume. Set it to attach a volume that exists: such a volume is detached when the disk is removed or the VM is destroyed, never deleted. " +
						"A volume that was made for the disk is deleted with it.",
					Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
				},
				"storage_policy": schema.StringAttribute{
					Optional: true, Computed: true,
					MarkdownDescription: "How the storage keeps a volume that is made, such as `REPLICA_3_THICK_PROVISION`: 1 to 3 replicas, thin or thick; `ELF_CP_REPLICA_2_…` and `ELF_CP_REPLICA_3_…` in the same way. Default `REPLICA_2_THIN_PROVISION`. It is fixed once the volume is made: a change is refused.",
					Validators:          storagePolicyValidators(),
				},
				"bus": schema.StringAttribute{
					Optional: true, Computed: true,
					MarkdownDescription: "How the disk is attached: `VIRTIO` (default), `SCSI` or `IDE`. Changing it, and adding or removing an `IDE` disk, stops and starts a running VM, which the plan announces.",
					Validators:          busValidators(),
				},
			},
		},
	}
}

// SPDX-License-Identifier: MPL-2.0

package towersim

// operation is how the simulator handles an operation. If locks is true, the
// handler itself checks the locks of the objects that it changes.
type operation struct {
	handle handler
	locks  bool
}

// handlers are the simulated operations, except those that list and count rows.
var handlers = map[string]operation{
	"login":       {handle: withBody(login)},
	"get-version": {handle: getVersion},
	"get-my-info": {handle: getMyInfo},

	"resource-changes": {handle: getResourceChanges},

	"create-vm":                 {handle: withBody(createVM)},
	"create-vm-from-template":   {handle: withBody(createVMFromTemplate)},
	"clone-vm":                  {withBody(cloneVM), true},
	"rebuild-vm-from-snapshot":  {handle: withBody(rebuildVM)},
	"convert-vm-template-to-vm": {handle: withBody(convertVMTemplateToVM)},

	"create-vm-from-content-library-template":       {handle: withBody(createVMFromContentLibraryTemplate)},
	"create-vm-from-content-library-template-batch": {handle: withBody(createVMFromContentLibraryTemplateBatch)},

	"start-vm":         {withBody(startVM), true},
	"shutdown-vm":      {withBody(shutDownVM), true},
	"poweroff-vm":      {withBody(powerOffVM), true},
	"suspend-vm":       {withBody(suspendVM), true},
	"resume-vm":        {withBody(resumeVM), true},
	"restart-vm":       {withBody(restartVM), true},
	"force-restart-vm": {withBody(forceRestartVM), true},

	"migrate-vm":                      {withBody(migrateVM), true},
	"migrate-vm-across-cluster":       {withBody(migrateVMAcrossCluster), true},
	"abort-migrate-vm-across-cluster": {handle: withBody(abortMigrateVMAcrossCluster)},

	"update-vm-basic-info":       {withBody(updateVM), true},
	"update-vm-owner":            {withBody(updateVMOwner), true},
	"update-vm-host-options":     {withBody(updateVMHostOptions), true},
	"update-vm-advanced-options": {withBody(updateVMAdvancedOptions), true},
	"update-vm-io-policy":        {withBody(updateVMIOPolicy), true},
	"install-vmtools":            {withBody(installVMTools), true},
	"get-vm-vnc-info":            {handle: withBody(getVMVNCInfo)},

	"delete-vm":               {withBody(deleteVM), true},
	"move-vm-to-recycle":      {withBody(moveVMToRecycleBin), true},
	"recover-vm-from-recycle": {withBody(recoverVMFromRecycleBin), true},

	"add-vm-nic":                 {withBody(addVMNic), true},
	"remove-vm-nic":              {withBody(removeVMNic), true},
	"remove-vm-nic-by-where":     {withBody(removeVMNicByWhere), true},
	"update-vm-nic":              {withBody(updateVMNic), true},
	"update-vm-nic-basic-info":   {withBody(updateVMNicBasicInfo), true},
	"update-vm-nic-advance-info": {withBody(updateVMNicAdvanceInfo), true},
	"update-vm-nic-qos-option":   {withBody(updateVMNicQoSOption), true},
	"update-vm-vpc-nic":          {withBody(updateVMVPCNic), true},
	"add-vm-pci-nic":             {withBody(addVMPCINic), true},
	"remove-vm-pci-nic":          {withBody(removeVMPCINic), true},

	"add-vm-disk":              {withBody(addVMDisk), true},
	"remove-vm-disk":           {withBody(removeVMDisk), true},
	"update-vm-disk":           {withBody(updateVMDisk), true},
	"expand-vm-disk":           {withBody(expandVMDisk), true},
	"add-vm-cd-rom":            {withBody(addVMCdRom), true},
	"remove-vm-cd-rom":         {withBody(removeVMCdRom), true},
	"eject-iso-from-vm-cd-rom": {withBody(ejectISOFromVMCdRom), true},
	"toggle-vm-cd-rom-disable": {withBody(toggleVMCdRomDisable), true},
	"create-vm-volume":         {handle: withBody(createVMVolume)},
	"clone-vm-volume":          {handle: withBody(cloneVMVolume)},
	"update-vm-volume":         {withBody(updateVMVolume), true},
	"delete-vm-volume":         {withBody(deleteVMVolume), true},

	"add-vm-gpu-device":                 {withBody(addVMGPUDevice), true},
	"remove-vm-gpu-device":              {withBody(removeVMGPUDevice), true},
	"get-detail-vm-info-by-gpu-devices": {handle: withBody(getDetailVMInfoByGPUDevices)},
	"get-vm-gpu-device-info":            {handle: withBody(getVMGPUDeviceInfo)},

	"create-vm-snapshot": {withBody(createVMSnapshot), true},
	"delete-vm-snapshot": {handle: withBody(deleteVMSnapshot)},
	"rollback-vm":        {withBody(rollbackVM), true},

	"clone-vm-template-from-vm":   {withBody(cloneVMTemplateFromVM), true},
	"convert-vm-template-from-vm": {withBody(convertVMTemplateFromVM), true},
	"update-vm-template":          {handle: withBody(updateVMTemplate)},
	"delete-vm-template":          {handle: withBody(deleteVMTemplate)},

	"clone-content-library-vm-template-from-vm":       {withBody(cloneContentLibraryVMTemplateFromVM), true},
	"convert-content-library-vm-template-from-vm":     {withBody(convertContentLibraryVMTemplateFromVM), true},
	"update-content-library-vm-template":              {handle: withBody(updateContentLibraryVMTemplate)},
	"delete-content-library-vm-template":              {handle: withBody(deleteContentLibraryVMTemplate)},
	"distribute-content-library-vm-template-clusters": {handle: withBody(distributeContentLibraryVMTemplate)},
	"remove-content-library-vm-template-clusters":     {handle: withBody(removeContentLibraryVMTemplate)},

	"create-label":                 {handle: withBody(createLabel)},
	"update-label":                 {handle: withBody(updateLabel)},
	"delete-label":                 {handle: withBody(deleteLabel)},
	"add-labels-to-resources":      {handle: withBody(addLabelsToResources)},
	"remove-labels-from-resources": {handle: withBody(removeLabelsFromResources)},

	"create-vm-folder":      {handle: withBody(createVMFolder)},
	"update-vm-folder":      {handle: withBody(updateVMFolder)},
	"delete-vm-folder":      {handle: withBody(deleteVMFolder)},
	"add-vm-to-folder":      {withBody(addVMToFolder), true},
	"remove-vm-from-folder": {withBody(removeVMFromFolder), true},

	"create-vm-placement-group": {handle: withBody(createVMPlacementGroup)},
	"update-vm-placement-group": {handle: withBody(updateVMPlacementGroup)},
	"delete-vm-placement-group": {handle: withBody(deleteVMPlacementGroup)},

	"create-organization":             {handle: withBody(createOrganization)},
	"update-organization":             {handle: withBody(updateOrganization)},
	"delete-organization":             {handle: withBody(deleteOrganization)},
	"create-datacenter":               {handle: withBody(createDatacenter)},
	"update-datacenter":               {handle: withBody(updateDatacenter)},
	"delete-datacenter":               {handle: withBody(deleteDatacenter)},
	"add-clusters-to-datacenter":      {handle: withBody(addClustersToDatacenter)},
	"remove-clusters-from-datacenter": {handle: withBody(removeClustersFromDatacenter)},
	"connect-cluster":                 {handle: withBody(connectCluster)},
	"update-cluster":                  {handle: withBody(updateCluster)},
	"delete-cluster":                  {handle: withBody(deleteCluster)},

	"create-vds":     {handle: withBody(createVds)},
	"update-vds":     {handle: withBody(updateVds)},
	"delete-vds":     {handle: withBody(deleteVds)},
	"create-vm-vlan": {handle: withBody(createVMVlan)},
	"update-vm-vlan": {handle: withBody(updateVMVlan)},
	"delete-vm-vlan": {handle: withBody(deleteVMVlan)},

	"upload-elf-image":                          {handle: uploadElfImage},
	"update-elf-image":                          {handle: withBody(updateElfImage)},
	"delete-elf-image":                          {handle: withBody(deleteElfImage)},
	"upload-svt-image":                          {handle: uploadSvtImage},
	"upload-content-library-image":              {handle: uploadContentLibraryImage},
	"import-content-library-image":              {handle: withBody(importContentLibraryImage)},
	"update-content-library-image":              {handle: withBody(updateContentLibraryImage)},
	"delete-content-library-image":              {handle: withBody(deleteContentLibraryImage)},
	"distribute-content-library-image-clusters": {handle: withBody(distributeContentLibraryImage)},
	"remove-content-library-image-clusters":     {handle: withBody(removeContentLibraryImage)},

	"update-global-recycle-bin-setting":  {handle: withBody(updateGlobalRecycleBinSetting)},
	"create-cluster-recycle-bin-setting": {handle: withBody(createClusterRecycleBinSetting)},
	"update-cluster-recycle-bin-setting": {handle: withBody(updateClusterRecycleBinSetting)},
	"delete-cluster-recycle-bin-setting": {handle: withBody(deleteClusterRecycleBinSetting)},

	"create-iscsi-target":              {handle: withBody(createIscsiTarget)},
	"update-iscsi-target":              {handle: withBody(updateIscsiTarget)},
	"delete-iscsi-target":              {handle: withBody(deleteIscsiTarget)},
	"create-iscsi-lun":                 {handle: withBody(createIscsiLun)},
	"update-iscsi-lun":                 {handle: withBody(updateIscsiLun)},
	"delete-iscsi-lun":                 {handle: withBody(deleteIscsiLun)},
	"create-iscsi-lun-snapshot":        {handle: withBody(createIscsiLunSnapshot)},
	"delete-iscsi-lun-snapshot":        {handle: withBody(deleteIscsiLunSnapshot)},
	"clone-iscsi-lun-from-snapshot":    {handle: withBody(cloneIscsiLunFromSnapshot)},
	"rollback-iscsi-lun-from-snapshot": {handle: withBody(rollbackIscsiLunFromSnapshot)},
}

// SPDX-License-Identifier: MPL-2.0

package towersim

// operation is how an operation is simulated. One with locks looks itself at
// the locks of what it changes.
type operation struct {
	handle handler
	locks  bool
}

// handlers are the simulated operations besides those that list and count rows.
var handlers = map[string]operation{
	"login":       {handle: typed(login)},
	"get-version": {handle: getVersion},
	"get-my-info": {handle: getMyInfo},

	"resource-changes": {handle: getResourceChanges},

	"create-vm":                 {handle: typed(createVM)},
	"create-vm-from-template":   {handle: typed(createVMFromTemplate)},
	"clone-vm":                  {typed(cloneVM), true},
	"rebuild-vm-from-snapshot":  {handle: typed(rebuildVM)},
	"convert-vm-template-to-vm": {handle: typed(convertVMTemplateToVM)},

	"create-vm-from-content-library-template":       {handle: typed(createVMFromContentLibraryTemplate)},
	"create-vm-from-content-library-template-batch": {handle: typed(createVMFromContentLibraryTemplateBatch)},

	"start-vm":         {typed(startVM), true},
	"shutdown-vm":      {typed(shutDownVM), true},
	"poweroff-vm":      {typed(powerOffVM), true},
	"suspend-vm":       {typed(suspendVM), true},
	"resume-vm":        {typed(resumeVM), true},
	"restart-vm":       {typed(restartVM), true},
	"force-restart-vm": {typed(forceRestartVM), true},

	"migrate-vm":                      {typed(migrateVM), true},
	"migrate-vm-across-cluster":       {typed(migrateVMAcrossCluster), true},
	"abort-migrate-vm-across-cluster": {handle: typed(abortMigrateVMAcrossCluster)},

	"update-vm-basic-info":       {typed(updateVM), true},
	"update-vm-owner":            {typed(updateVMOwner), true},
	"update-vm-host-options":     {typed(updateVMHostOptions), true},
	"update-vm-advanced-options": {typed(updateVMAdvancedOptions), true},
	"update-vm-io-policy":        {typed(updateVMIOPolicy), true},
	"install-vmtools":            {typed(installVMTools), true},
	"get-vm-vnc-info":            {handle: typed(getVMVNCInfo)},

	"delete-vm":               {typed(deleteVM), true},
	"move-vm-to-recycle":      {typed(moveVMToRecycleBin), true},
	"recover-vm-from-recycle": {typed(recoverVMFromRecycleBin), true},

	"add-vm-nic":                 {typed(addVMNic), true},
	"remove-vm-nic":              {typed(removeVMNic), true},
	"remove-vm-nic-by-where":     {typed(removeVMNicByWhere), true},
	"update-vm-nic":              {typed(updateVMNic), true},
	"update-vm-nic-basic-info":   {typed(updateVMNicBasicInfo), true},
	"update-vm-nic-advance-info": {typed(updateVMNicAdvanceInfo), true},
	"update-vm-nic-qos-option":   {typed(updateVMNicQoSOption), true},
	"update-vm-vpc-nic":          {handle: typed(updateVMVPCNic)},
	"add-vm-pci-nic":             {handle: typed(operatePCINics)},
	"remove-vm-pci-nic":          {handle: typed(operatePCINics)},

	"add-vm-disk":              {typed(addVMDisk), true},
	"remove-vm-disk":           {typed(removeVMDisk), true},
	"update-vm-disk":           {typed(updateVMDisk), true},
	"expand-vm-disk":           {typed(expandVMDisk), true},
	"add-vm-cd-rom":            {typed(addVMCdRom), true},
	"remove-vm-cd-rom":         {typed(removeVMCdRom), true},
	"eject-iso-from-vm-cd-rom": {typed(ejectISOFromVMCdRom), true},
	"toggle-vm-cd-rom-disable": {typed(toggleVMCdRomDisable), true},
	"create-vm-volume":         {handle: typed(createVMVolume)},
	"clone-vm-volume":          {handle: typed(cloneVMVolume)},
	"update-vm-volume":         {typed(updateVMVolume), true},
	"delete-vm-volume":         {typed(deleteVMVolume), true},

	"add-vm-gpu-device":                 {typed(addVMGPUDevice), true},
	"remove-vm-gpu-device":              {typed(removeVMGPUDevice), true},
	"get-detail-vm-info-by-gpu-devices": {handle: typed(getDetailVMInfoByGPUDevices)},
	"get-vm-gpu-device-info":            {handle: typed(getVMGPUDeviceInfo)},

	"create-vm-snapshot": {typed(createVMSnapshot), true},
	"delete-vm-snapshot": {handle: typed(deleteVMSnapshot)},
	"rollback-vm":        {typed(rollbackVM), true},

	"clone-vm-template-from-vm":   {typed(cloneVMTemplateFromVM), true},
	"convert-vm-template-from-vm": {typed(convertVMTemplateFromVM), true},
	"update-vm-template":          {handle: typed(updateVMTemplate)},
	"delete-vm-template":          {handle: typed(deleteVMTemplate)},

	"clone-content-library-vm-template-from-vm":       {typed(cloneContentLibraryVMTemplateFromVM), true},
	"convert-content-library-vm-template-from-vm":     {typed(convertContentLibraryVMTemplateFromVM), true},
	"update-content-library-vm-template":              {handle: typed(updateContentLibraryVMTemplate)},
	"delete-content-library-vm-template":              {handle: typed(deleteContentLibraryVMTemplate)},
	"distribute-content-library-vm-template-clusters": {handle: typed(distributeContentLibraryVMTemplate)},
	"remove-content-library-vm-template-clusters":     {handle: typed(removeContentLibraryVMTemplate)},

	"create-label":                 {handle: typed(createLabel)},
	"update-label":                 {handle: typed(updateLabel)},
	"delete-label":                 {handle: typed(deleteLabel)},
	"add-labels-to-resources":      {handle: typed(addLabelsToResources)},
	"remove-labels-from-resources": {handle: typed(removeLabelsFromResources)},

	"create-vm-folder":      {handle: typed(createVMFolder)},
	"update-vm-folder":      {handle: typed(updateVMFolder)},
	"delete-vm-folder":      {handle: typed(deleteVMFolder)},
	"add-vm-to-folder":      {typed(addVMToFolder), true},
	"remove-vm-from-folder": {typed(removeVMFromFolder), true},

	"create-vm-placement-group": {handle: typed(createVMPlacementGroup)},
	"update-vm-placement-group": {handle: typed(updateVMPlacementGroup)},
	"delete-vm-placement-group": {handle: typed(deleteVMPlacementGroup)},

	"create-organization":             {handle: typed(createOrganization)},
	"update-organization":             {handle: typed(updateOrganization)},
	"delete-organization":             {handle: typed(deleteOrganization)},
	"create-datacenter":               {handle: typed(createDatacenter)},
	"update-datacenter":               {handle: typed(updateDatacenter)},
	"delete-datacenter":               {handle: typed(deleteDatacenter)},
	"add-clusters-to-datacenter":      {handle: typed(addClustersToDatacenter)},
	"remove-clusters-from-datacenter": {handle: typed(removeClustersFromDatacenter)},
	"connect-cluster":                 {handle: typed(connectCluster)},
	"update-cluster":                  {handle: typed(updateCluster)},
	"delete-cluster":                  {handle: typed(deleteCluster)},

	"create-vds":     {handle: typed(createVds)},
	"update-vds":     {handle: typed(updateVds)},
	"delete-vds":     {handle: typed(deleteVds)},
	"create-vm-vlan": {handle: typed(createVMVlan)},
	"update-vm-vlan": {handle: typed(updateVMVlan)},
	"delete-vm-vlan": {handle: typed(deleteVMVlan)},

	"upload-elf-image":                          {handle: uploadElfImage},
	"update-elf-image":                          {handle: typed(updateElfImage)},
	"delete-elf-image":                          {handle: typed(deleteElfImage)},
	"upload-svt-image":                          {handle: uploadSvtImage},
	"upload-content-library-image":              {handle: uploadContentLibraryImage},
	"import-content-library-image":              {handle: typed(importContentLibraryImage)},
	"update-content-library-image":              {handle: typed(updateContentLibraryImage)},
	"delete-content-library-image":              {handle: typed(deleteContentLibraryImage)},
	"distribute-content-library-image-clusters": {handle: typed(distributeContentLibraryImage)},
	"remove-content-library-image-clusters":     {handle: typed(removeContentLibraryImage)},

	"update-global-recycle-bin-setting":  {handle: typed(updateGlobalRecycleBinSetting)},
	"create-cluster-recycle-bin-setting": {handle: typed(createClusterRecycleBinSetting)},
	"update-cluster-recycle-bin-setting": {handle: typed(updateClusterRecycleBinSetting)},
	"delete-cluster-recycle-bin-setting": {handle: typed(deleteClusterRecycleBinSetting)},

	"create-iscsi-target":              {handle: typed(createIscsiTarget)},
	"update-iscsi-target":              {handle: typed(updateIscsiTarget)},
	"delete-iscsi-target":              {handle: typed(deleteIscsiTarget)},
	"create-iscsi-lun":                 {handle: typed(createIscsiLun)},
	"update-iscsi-lun":                 {handle: typed(updateIscsiLun)},
	"delete-iscsi-lun":                 {handle: typed(deleteIscsiLun)},
	"create-iscsi-lun-snapshot":        {handle: typed(createIscsiLunSnapshot)},
	"delete-iscsi-lun-snapshot":        {handle: typed(deleteIscsiLunSnapshot)},
	"clone-iscsi-lun-from-snapshot":    {handle: typed(cloneIscsiLunFromSnapshot)},
	"rollback-iscsi-lun-from-snapshot": {handle: typed(rollbackIscsiLunFromSnapshot)},
}

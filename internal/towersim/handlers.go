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

	"create-vm": {handle: typed(createVM)},
	"create-vm-from-content-library-template": {handle: typed(createVMFromContentLibraryTemplate)},

	"start-vm":         {typed(startVM), true},
	"shutdown-vm":      {typed(shutDownVM), true},
	"poweroff-vm":      {typed(powerOffVM), true},
	"suspend-vm":       {typed(suspendVM), true},
	"resume-vm":        {typed(resumeVM), true},
	"restart-vm":       {typed(restartVM), true},
	"force-restart-vm": {typed(forceRestartVM), true},

	"update-vm-basic-info":    {typed(updateVM), true},
	"delete-vm":               {typed(deleteVM), true},
	"move-vm-to-recycle":      {typed(moveVMToRecycleBin), true},
	"recover-vm-from-recycle": {typed(recoverVMFromRecycleBin), true},
	"update-vm-owner":         {typed(updateVMOwner), true},
	"add-vm-to-folder":        {typed(addVMToFolder), true},
	"remove-vm-from-folder":   {typed(removeVMFromFolder), true},

	"add-vm-nic":                 {typed(addVMNic), true},
	"remove-vm-nic":              {typed(removeVMNic), true},
	"remove-vm-nic-by-where":     {typed(removeVMNicByWhere), true},
	"update-vm-nic":              {typed(updateVMNic), true},
	"update-vm-nic-basic-info":   {typed(updateVMNicBasicInfo), true},
	"update-vm-nic-advance-info": {typed(updateVMNicAdvanceInfo), true},

	"add-vm-disk":              {typed(addVMDisk), true},
	"remove-vm-disk":           {typed(removeVMDisk), true},
	"expand-vm-disk":           {typed(expandVMDisk), true},
	"update-vm-disk":           {typed(updateVMDisk), true},
	"add-vm-cd-rom":            {typed(addVMCDROM), true},
	"remove-vm-cd-rom":         {typed(removeVMCDROM), true},
	"eject-iso-from-vm-cd-rom": {typed(ejectISO), true},

	"create-vm-volume": {typed(createVMVolume), true},
	"update-vm-volume": {typed(updateVMVolume), true},
	"delete-vm-volume": {typed(deleteVMVolume), true},

	"create-label":                 {handle: typed(createLabel)},
	"update-label":                 {handle: typed(updateLabel)},
	"delete-label":                 {handle: typed(deleteLabel)},
	"add-labels-to-resources":      {handle: typed(addLabelsToResources)},
	"remove-labels-from-resources": {handle: typed(removeLabelsFromResources)},
}

// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
)

func (c *call) moveToFolder(where json.RawMessage, into *folder) (any, error) {
	return c.eachVM(where, vmWork{
		mutation: "updateVm", about: named("Move VM to another group", "移动虚拟机到分组"),
		apply: func(v *vm) *taskFailure {
			if into != nil && into.cluster != v.cluster {
				return failure("VM_FOLDER_NOT_FOUND", "The VM group %s is in another cluster.", into.row.Name)
			}

			v.folder = into
			c.renew(v)

			return nil
		},
	})
}

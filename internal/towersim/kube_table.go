// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"time"
)

// nodeColumns are the columns in which a server prints nodes. Columns with a
// priority appear in wide output only.
var nodeColumns = []document{
	nodeColumn("Name", "name", 0), nodeColumn("Status", "", 0), nodeColumn("Roles", "", 0), nodeColumn("Age", "", 0), nodeColumn("Version", "", 0),
	nodeColumn("Internal-IP", "", 1), nodeColumn("External-IP", "", 1), nodeColumn("OS-Image", "", 1), nodeColumn("Kernel-Version", "", 1),
	nodeColumn("Container-Runtime", "", 1),
}

func nodeColumn(name, format string, priority int) document {
	return document{"name": name, "type": "string", "format": format, "description": name + " of the node", "priority": priority}
}

// nodeTable returns nodes in the form that kubectl prints unchanged.
func nodeTable(nodes []node, q nodeQuery, now time.Time, meta document) document {
	rows := []document{}

	for i := range nodes {
		n := &nodes[i]

		status := "Ready"
		if !n.ready {
			status = "NotReady"
		}

		address := n.internalIP
		if address == "" {
			address = "<none>"
		}

		row := document{"cells": []any{
			n.name, status, "<none>", ageText(now.Sub(n.created)), kubeletVersion,
			address, "<none>", "Rocky Linux 8.10 (Green Obsidian)", "4.18.0-553.el8_10.x86_64", "containerd://1.7.20",
		}}

		switch q.contents {
		case "None":
		case "Object":
			row["object"] = n.object(now)
		default:
			row["object"] = document{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": n.metadata()}
		}

		rows = append(rows, row)
	}

	return document{
		"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": meta, "columnDefinitions": nodeColumns, "rows": rows,
	}
}

// ageText formats a duration as kubectl does, in at most two units.
func ageText(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < 10*time.Minute:
		if seconds := int(d.Seconds()) % 60; seconds > 0 {
			return fmt.Sprintf("%dm%ds", int(d.Minutes()), seconds)
		}

		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 3*time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}

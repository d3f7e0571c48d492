// SPDX-License-Identifier: MPL-2.0

package towersim

// autoSchedule may be sent instead of a host's id; the scheduler chooses the
// host.
const autoSchedule = "AUTO_SCHEDULE"

func (w *world) clusterByID(id string) (*cluster, error) {
	c, ok := w.clusters.get(id)
	if !ok {
		return nil, notFound("There is no cluster %s", id)
	}

	return c, nil
}

// hostByID returns the host with an id, or nil if the scheduler chooses the
// host. If a cluster is given, the host must be in it.
func (w *world) hostByID(id string, in *cluster) (*host, error) {
	if id == "" || id == autoSchedule {
		return nil, nil
	}

	h, ok := w.hosts.get(id)
	if !ok {
		return nil, notFound("There is no host %s", id)
	}

	if in != nil && h.cluster != in {
		return nil, badRequest("The host %s is not in the cluster %s", id, in.row.ID)
	}

	return h, nil
}

func (w *world) folderByID(id *string, in *cluster) (*folder, error) {
	if id == nil || *id == "" {
		return nil, nil
	}

	f, ok := w.folders.get(*id)
	if !ok {
		return nil, notFound("There is no VM folder %s", *id)
	}

	if f.cluster != in {
		return nil, badRequest("The VM folder %s is not in the cluster %s", *id, in.row.ID)
	}

	return f, nil
}

func (w *world) vlanByID(id string, in *cluster) (*vlan, error) {
	v, ok := w.vlans.get(id)
	if !ok {
		return nil, notFound("There is no VM network %s", id)
	}

	if in != nil && v.cluster() != in {
		return nil, badRequest("The VM network %s is not in the cluster %s", id, in.row.ID)
	}

	return v, nil
}

// findUser returns the user with a name or, if by is "id", with an id.
func (w *world) findUser(by, value string) (*user, error) {
	for _, u := range w.users.list {
		if by == "id" && u.row.ID == value || by != "id" && u.row.Username == value {
			return u, nil
		}
	}

	return nil, notFound("There is no user %s", value)
}

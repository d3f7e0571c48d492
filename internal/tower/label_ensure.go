// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/label"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

const opCreateLabel = "create-label"

func (l Label) identity() identity { return identity{id: l.ID, name: l.Key} }

func newLabels(c *Client) *objects[Label] {
	convert := func(m *models.Label) Label {
		return Label{ID: deref(m.ID), Key: deref(m.Key), Value: deref(m.Value), CreatedAt: instant(m.CreatedAt)}
	}
	return newObjects(c, "get-labels", "label", convert, func(ctx context.Context, body *models.GetLabelsRequestBody) ([]*models.Label, error) {
		return payload(label.New(c.sdk()).GetLabels(label.NewGetLabelsParamsWithContext(ctx).WithRequestBody(body)))
	})
}

// labelPair is what makes a label one: its key and its value, "" where it has none.
type labelPair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func (p labelPair) compare(other labelPair) int {
	return cmp.Or(cmp.Compare(p.Key, other.Key), cmp.Compare(p.Value, other.Value))
}

// ensureLabels finds the labels of the pairs, and makes those that are missing. Others do the same at the same time, and
// Tower keeps no two labels of one pair: what it refuses to make is looked for again. Each pair has its id or its error.
func (c *Client) ensureLabels(ctx context.Context, pairs []labelPair) (ids map[labelPair]string, failed map[labelPair]error) {
	ids, failed = map[labelPair]string{}, map[labelPair]error{}
	missing := slices.Clone(pairs)
	slices.SortFunc(missing, labelPair.compare)
	missing = slices.Compact(missing)
	for try := range labelTries {
		missing = c.findLabels(ctx, missing, ids, failed)
		if len(missing) == 0 {
			break
		}
		if try > 0 && delay(ctx, c.taskInterval) != nil {
			break
		}
		// At first all in one call. Where that is refused, one by one, so that only those fail that are to blame.
		size := len(missing)
		if try > 0 {
			size = 1
		}
		for chunk := range slices.Chunk(missing, min(size, readChunk)) {
			made, err := c.createLabels(ctx, chunk)
			for i, pair := range chunk {
				if err == nil {
					ids[pair] = made[i]
					delete(failed, pair)
				} else {
					failed[pair] = err
				}
			}
		}
		missing = slices.DeleteFunc(missing, func(p labelPair) bool { return ids[p] != "" })
		if len(missing) == 0 {
			break
		}
	}
	c.findLabels(ctx, missing, ids, failed)
	return ids, failed
}

// findLabels looks labels up and returns those that Tower does not have.
func (c *Client) findLabels(ctx context.Context, pairs []labelPair, ids map[labelPair]string, failed map[labelPair]error) (missing []labelPair) {
	for chunk := range slices.Chunk(pairs, readChunk) {
		found, err := c.getLabels(ctx, chunk)
		for _, pair := range chunk {
			switch {
			case err != nil:
				failed[pair] = err
			case found[pair] != "":
				ids[pair] = found[pair]
				delete(failed, pair)
			default:
				missing = append(missing, pair)
			}
		}
	}
	return missing
}

// getLabels reads labels. Of several labels of one pair it is the oldest.
func (c *Client) getLabels(ctx context.Context, pairs []labelPair) (map[labelPair]string, error) {
	var filters []Where
	for _, pair := range pairs {
		one := Where{"key": pair.Key}
		// A label without a value has none or an empty one.
		if pair.Value != "" {
			one["value"] = pair.Value
		}
		filters = append(filters, one)
	}
	list, err := c.labels.list(ctx, Where{"OR": filters})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b Label) int { return a.CreatedAt.Compare(b.CreatedAt) })
	found := make(map[labelPair]string, len(list))
	for _, l := range list {
		pair := labelPair{l.Key, l.Value}
		if found[pair] == "" {
			found[pair] = l.ID
		}
	}
	return found, nil
}

// nameLabels completes the labels of VMs where Tower tells the ids only, as it does before release 4.1.
func (c *Client) nameLabels(ctx context.Context, vms []VM) error {
	nameless := map[string][]*Label{}
	for _, v := range vms {
		for i := range v.Labels {
			if l := &v.Labels[i]; l.Key == "" && l.ID != "" {
				nameless[l.ID] = append(nameless[l.ID], l)
			}
		}
	}
	found, err := c.labels.getAll(ctx, slices.Collect(maps.Keys(nameless)))
	for id, label := range found {
		for _, l := range nameless[id] {
			l.Key, l.Value = label.Key, label.Value
		}
	}
	return err
}

// createLabels makes labels and returns their ids in the order of the pairs.
func (c *Client) createLabels(ctx context.Context, pairs []labelPair) ([]string, error) {
	body := make([]*models.LabelCreationParams, 0, len(pairs))
	for _, pair := range pairs {
		body = append(body, &models.LabelCreationParams{Key: ptr(pair.Key), Value: optional(pair.Value)})
	}
	made, call, err := c.labels.sendCreate(ctx, opCreateLabel, len(pairs), func(ctx context.Context) ([]receipt, error) {
		return receipts(label.New(c.sdk()).CreateLabel(label.NewCreateLabelParamsWithContext(ctx).WithRequestBody(body)))
	})
	if err != nil {
		return nil, err
	}
	forgotten, err := c.awaitTasks(ctx, call)
	if forgotten {
		err = &Error{Operation: opCreateLabel, Class: ClassTransient, RequestID: call.requestID, Message: "Tower no longer shows the task"}
	}
	ids := make([]string, 0, len(made))
	for _, r := range made {
		ids = append(ids, r.id)
	}
	return ids, err
}

// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/label"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

const (
	opGetLabels   = "get-labels"
	opCreateLabel = "create-label"
)

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

// getLabels calls get-labels. Of several labels of one pair it is the oldest.
func (c *Client) getLabels(ctx context.Context, pairs []labelPair) (map[labelPair]string, error) {
	where := &models.LabelWhereInput{}
	for _, pair := range pairs {
		one := &models.LabelWhereInput{Key: ptr(pair.Key), Value: ptr(pair.Value)}
		if pair.Value == "" {
			one = &models.LabelWhereInput{Key: ptr(pair.Key), OR: []*models.LabelWhereInput{
				{Value: ptr("")}, {MarshalOpts: &models.LabelWhereInputMarshalOpts{Value_Explicit_Null_When_Empty: true}},
			}}
		}
		where.OR = append(where.OR, one)
	}
	list, err := c.callGetLabels(ctx, where)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b *models.Label) int {
		return cmp.Or(instant(a.CreatedAt).Compare(instant(b.CreatedAt)), cmp.Compare(deref(a.ID), deref(b.ID)))
	})
	found := make(map[labelPair]string, len(list))
	for _, l := range list {
		pair := labelPair{deref(l.Key), deref(l.Value)}
		if found[pair] == "" {
			found[pair] = deref(l.ID)
		}
	}
	return found, nil
}

// callGetLabels calls get-labels.
func (c *Client) callGetLabels(ctx context.Context, where *models.LabelWhereInput) ([]*models.Label, error) {
	return invoke(ctx, c, operation{opGetLabels, kindRead}, func(ctx context.Context) ([]*models.Label, error) {
		reply, err := c.api.labels.GetLabels(label.NewGetLabelsParamsWithContext(ctx).WithRequestBody(&models.GetLabelsRequestBody{Where: where}))
		if err != nil {
			return nil, err
		}
		return slices.DeleteFunc(reply.Payload, func(l *models.Label) bool { return l == nil }), nil
	})
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
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(nameless)), readChunk) {
		list, err := c.callGetLabels(ctx, &models.LabelWhereInput{IDIn: ids})
		if err != nil {
			return err
		}
		for _, found := range list {
			for _, l := range nameless[deref(found.ID)] {
				l.Key, l.Value = deref(found.Key), deref(found.Value)
			}
		}
	}
	return nil
}

// createLabels makes labels and returns their ids in the order of the pairs.
func (c *Client) createLabels(ctx context.Context, pairs []labelPair) ([]string, error) {
	body := make([]*models.LabelCreationParams, 0, len(pairs))
	for _, pair := range pairs {
		body = append(body, &models.LabelCreationParams{Key: ptr(pair.Key), Value: optional(pair.Value)})
	}
	a := accepted{operation: opCreateLabel}
	made, err := invoke(ctx, c, operation{opCreateLabel, kindCreate}, func(ctx context.Context) ([]string, error) {
		reply, err := c.api.labels.CreateLabel(label.NewCreateLabelParamsWithContext(ctx).WithRequestBody(body))
		if err != nil {
			return nil, err
		}
		a.requestID = exchangeOf(ctx).requestID
		var made []string
		for _, one := range reply.Payload {
			if one != nil && one.Data != nil && deref(one.Data.ID) != "" {
				made = append(made, *one.Data.ID)
				a.objectID, a.taskID = *one.Data.ID, cmp.Or(deref(one.TaskID), a.taskID)
			}
		}
		return made, nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(made) != len(pairs):
		return nil, &Error{Operation: opCreateLabel, Class: ClassTransient, RequestID: a.requestID, Err: errors.New("the reply does not name each label")}
	}
	_, err = c.awaitTask(ctx, a)
	return made, err
}

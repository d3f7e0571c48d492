// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/smartxworks/terraform-provider-elf/internal/poll"
)

// pageSize is how many objects a page of a list has at most.
const pageSize = 200

// Where is a filter in Tower's own terms: the JSON of the WhereInput of a kind of objects, such as
// Where{"name_contains": "web", "cluster": AnyID(id)}. An empty one matches everything.
type Where map[string]any

// AnyID matches one object by Tower's id or by its local id. Kinds without local ids take Where{"id": id}.
func AnyID(id string) Where { return Where{"OR": []Where{{"id": id}, {"local_id": id}}} }

// All matches what all the filters match.
func All(filters ...Where) Where {
	filters = slices.DeleteFunc(slices.Clone(filters), func(w Where) bool { return len(w) == 0 })
	switch len(filters) {
	case 0:
		return nil
	case 1:
		return filters[0]
	}
	return Where{"AND": filters}
}

// query is what one request asks for: the JSON that the requests of all kinds of objects have in common.
type query struct {
	Where   Where  `json:"where,omitempty"`
	OrderBy string `json:"orderBy,omitempty"`
	First   int    `json:"first,omitempty"`
}

// requestBody puts a query into the generated type. It refuses what would match more than was meant: what the type cannot
// hold, null, which is left out when it is sent, and an empty list, which Tower takes for no filter.
func requestBody[Body any](q query) (*Body, error) {
	raw, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	body, decoder := new(Body), json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(body); err != nil {
		return nil, err
	}
	sent, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	var wanted, kept any
	if err := errors.Join(json.Unmarshal(raw, &wanted), json.Unmarshal(sent, &kept)); err != nil {
		return nil, err
	}
	switch {
	case hasEmptyList(wanted):
		return nil, fmt.Errorf("%s has an empty list", raw)
	case !reflect.DeepEqual(wanted, kept):
		return nil, fmt.Errorf("%s would be sent as %s", raw, sent)
	}
	return body, nil
}

// hasEmptyList reports whether an empty list is anywhere in a JSON value.
func hasEmptyList(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0 || slices.ContainsFunc(v, hasEmptyList)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasEmptyList)
	}
	return false
}

// payload returns what a reply of the generated client holds.
func payload[P any, R interface{ GetPayload() P }](reply R, err error) (P, error) {
	if err != nil {
		var none P
		return none, err
	}
	return reply.GetPayload(), nil
}

// identity is what all kinds of objects have in common.
type identity struct {
	id      string
	localID string // "" where there is none
	name    string
	async   string // the operation under way, "" = idle
}

// Object is a kind of Tower's objects, such as VM or Cluster.
type Object interface{ identity() identity }

// objects reads the objects of one kind.
type objects[T Object] struct {
	c    *Client
	op   string // the operation that reads them: "get-vms"
	what string // what a person calls one: "VM"
	// read makes one request.
	read    func(ctx context.Context, k kind, q query) ([]T, error)
	localID bool             // they have local ids
	byID    *poll.Batcher[T] // single reads that many callers share
	polled  *poll.Poller[T]  // by Tower's id, for those who wait for a change
}

// newObjects describes a kind: the operation that reads it and its call in the generated client, what a person calls one
// of its objects, and how the generated type M becomes T.
func newObjects[Body, M any, T Object](c *Client, op, what string, convert func(*M) T, call func(context.Context, *Body) ([]*M, error)) *objects[T] {
	o := &objects[T]{c: c, op: op, what: what}
	_, err := requestBody[Body](query{Where: Where{"local_id": ""}})
	o.localID = err == nil
	o.read = func(ctx context.Context, k kind, q query) ([]T, error) {
		body, err := requestBody[Body](q)
		if err != nil {
			return nil, &Error{Operation: op, Class: ClassRefused, Err: fmt.Errorf("a filter that cannot be used for a %s, which is a bug in the provider: %w", what, err)}
		}
		list, err := invoke(ctx, c, operation{op, k}, func(ctx context.Context) ([]*M, error) { return call(ctx, body) })
		if err != nil {
			return nil, err
		}
		out := make([]T, 0, len(list))
		for _, m := range list {
			if m != nil {
				out = append(out, convert(m))
			}
		}
		return out, nil
	}
	o.byID = poll.NewBatcher(func(ctx context.Context, keys []string) (map[string]T, error) {
		where := Where{"id_in": keys}
		if o.localID {
			where = Where{"OR": []Where{where, {"local_id_in": keys}}}
		}
		list, err := o.fetch(ctx, kindRead, where)
		return byAnyID(keys, list), err
	}, c.batching())
	o.polled = poll.New(func(ctx context.Context, ids []string) (map[string]T, error) {
		list, err := o.fetch(ctx, kindPoll, Where{"id_in": ids})
		return byAnyID(ids, list), err
	}, poll.Options{Interval: c.taskInterval, ChunkSize: watchChunk, Gather: c.tune.gather})
	return o
}

// byAnyID returns the objects of a list that the ids ask for.
func byAnyID[T Object](ids []string, list []T) map[string]T {
	out := make(map[string]T, len(ids))
	for _, v := range list {
		for _, id := range []string{v.identity().id, v.identity().localID} {
			if id != "" && slices.Contains(ids, id) {
				out[id] = v
			}
		}
	}
	return out
}

// fetch reads all the objects that match in one request. It takes a filter that bounds their number; none is refused.
func (o *objects[T]) fetch(ctx context.Context, k kind, where Where) ([]T, error) {
	if len(where) == 0 {
		return nil, &Error{Operation: o.op, Class: ClassRefused, Message: "a filter is missing"}
	}
	return o.read(ctx, k, query{Where: where})
}

// get reads one object by Tower's id or its local id, in one request with others that are read at about the same time.
// ErrNotFound: there is none.
func (o *objects[T]) get(ctx context.Context, id string) (*T, error) {
	if id == "" {
		return nil, notFound(o.op, fmt.Sprintf("a %s is looked for without an id", o.what))
	}
	value, found, err := o.byID.Get(ctx, id)
	switch {
	case err != nil:
		return nil, asError(o.op, err)
	case !found:
		return nil, notFound(o.op, fmt.Sprintf("Tower has no %s with the id %q", o.what, id))
	}
	return &value, nil
}

// getAll reads objects like get, all at once, and returns them by Tower's id. Those that do not exist are missing.
func (o *objects[T]) getAll(ctx context.Context, ids []string) (map[string]T, error) {
	found := make([]*T, len(ids))
	var group errgroup.Group
	for i, id := range ids {
		group.Go(func() error {
			value, err := o.get(ctx, id)
			if errors.Is(err, ErrNotFound) {
				return nil
			}
			found[i] = value
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	out := map[string]T{}
	for _, value := range found {
		if value != nil {
			out[(*value).identity().id] = *value
		}
	}
	return out, nil
}

// list reads all the objects that match, by name, then id.
func (o *objects[T]) list(ctx context.Context, where Where) ([]T, error) {
	var out []T
	for page, err := range o.pages(ctx, where, 0, nil) {
		if err != nil {
			return nil, err
		}
		out = append(out, page...)
	}
	slices.SortFunc(out, byName)
	return out, nil
}

// byName orders objects by name, then id.
func byName[T Object](a, b T) int {
	x, y := a.identity(), b.identity()
	return cmp.Or(cmp.Compare(x.name, y.name), cmp.Compare(x.id, y.id))
}

// pages lists the objects that match page by page, by their ids: an order in which nothing that happens meanwhile shifts a
// page, so that no object comes twice and none that is there all the time is missed. It leaves out what admit refuses; nil
// admits all. A limit above 0 is how many come at most, and no more are asked for. The list ends after an error.
func (o *objects[T]) pages(ctx context.Context, where Where, limit int, admit func(T) bool) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		q := query{Where: where, OrderBy: "id_ASC", First: pageSize}
		for left, last := limit, ""; ; {
			if limit > 0 {
				q.First = min(pageSize, left)
			}
			page, err := o.read(ctx, kindRead, q)
			if err != nil {
				yield(nil, err)
				return
			}
			more := len(page) >= q.First && page[len(page)-1].identity().id != last
			if more {
				last = page[len(page)-1].identity().id
				q.Where = All(where, Where{"id_gt": last})
			}
			if admit != nil {
				page = slices.DeleteFunc(page, func(v T) bool { return !admit(v) })
			}
			if len(page) > 0 && !yield(page, nil) {
				return
			}
			if left -= len(page); !more || limit > 0 && left <= 0 {
				return
			}
		}
	}
}

// lists reads the objects that belong to something else, such as the disks of a VM, and merges the reads of many callers.
type lists[T Object] struct {
	of    *objects[T]
	owner string // what they belong to: "VM"
	reads *poll.Batcher[[]T]

	where func(keys []string) Where
	keys  func(T) []string
	order func(a, b T) int
}

// listedBy describes lists of objects: what they belong to, the filter for the objects of some owners, the keys of the owners
// of an object, "" for none, and the order of a list.
func (o *objects[T]) listedBy(owner string, where func(keys []string) Where, keys func(T) []string, order func(a, b T) int) *lists[T] {
	l := &lists[T]{of: o, owner: owner, where: where, keys: keys, order: order}
	l.reads = poll.NewBatcher(func(ctx context.Context, keys []string) (map[string][]T, error) { return l.fetch(ctx, kindRead, keys) }, o.c.batching())
	return l
}

// fetch reads the lists of some owners in one request.
func (l *lists[T]) fetch(ctx context.Context, k kind, keys []string) (map[string][]T, error) {
	list, err := l.of.fetch(ctx, k, l.where(keys))
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, l.order)
	out := make(map[string][]T, len(keys))
	for _, v := range list {
		for _, key := range l.keys(v) {
			if key != "" {
				out[key] = append(out[key], v)
			}
		}
	}
	return out, nil
}

// get reads the list of one owner. One that does not exist has none.
func (l *lists[T]) get(ctx context.Context, key string) ([]T, error) {
	if key == "" {
		return nil, notFound(l.of.op, fmt.Sprintf("each %s is looked for without the id of its %s", l.of.what, l.owner))
	}
	list, _, err := l.reads.Get(ctx, key)
	if err != nil {
		return nil, asError(l.of.op, err)
	}
	return slices.Clone(list), nil
}

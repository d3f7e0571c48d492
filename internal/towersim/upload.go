// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// chunkSize is the size of the pieces of an uploaded file.
const chunkSize = 4 << 20

// upload is a file that is uploaded in pieces, one in each request.
type upload struct {
	row      wire.UploadTask
	received int64
	done     func() // creates the object
}

func (w *world) newUpload(kind wire.UploadResourceType, name string, size int64) *upload {
	u := &upload{}
	u.row = wire.UploadTask{
		ID: w.ids.cuid(), ResourceType: kind, Size: size, ChunkSize: chunkSize, Status: wire.UploadTaskStatusUploading,
		StartedAt: formatTimePtr(w.now), UpdatedAt: formatTime(w.now), Args: wire.Object{"name": name},
	}
	w.uploads[u.row.ID] = u

	return u
}

func (u *upload) finish(now time.Time) {
	u.row.Status, u.row.FinishedAt, u.row.UpdatedAt = wire.UploadTaskStatusSuccessed, formatTimePtr(now), formatTime(now)
}

// form is a multipart body: its text parts, and the length of its file.
type form struct {
	texts  map[string]string
	length int64
	name   string // of the file
}

func (c *call) readForm() (*form, error) {
	media, params, err := mime.ParseMediaType(c.request.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" {
		return nil, badRequest("body: expected multipart/form-data")
	}

	f := &form{texts: map[string]string{}, length: -1}
	reader := multipart.NewReader(strings.NewReader(string(c.body)), params["boundary"])

	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}

		if err != nil {
			return nil, badRequest("body: malformed multipart body: %v", err)
		}

		content, err := io.ReadAll(part)
		if err != nil {
			return nil, badRequest("body: malformed multipart body: %v", err)
		}

		if part.FormName() == "file" {
			f.length, f.name = int64(len(content)), part.FileName()
		} else {
			f.texts[part.FormName()] = string(content)
		}
	}

	if f.length < 0 {
		return nil, badRequest("body.file: required member is missing")
	}

	return f, nil
}

// receivePiece handles one piece of a file. The first piece has no upload id;
// for it, begin checks the request and returns the function that creates the
// object when the file is complete.
func (c *call) receivePiece(kind wire.UploadResourceType, begin func(f *form, name string, size int64) (func(), error)) (any, error) {
	f, err := c.readForm()
	if err != nil {
		return nil, err
	}

	u := c.uploads[f.texts["upload_task_id"]]

	switch {
	case f.texts["upload_task_id"] == "":
		if u, err = c.startUpload(f, kind, begin); err != nil {
			return nil, err
		}
	case u == nil:
		return nil, notFound("There is no upload task %s", f.texts["upload_task_id"])
	case u.row.Status != wire.UploadTaskStatusUploading:
		return nil, badRequest("body.upload_task_id: the upload is %s", u.row.Status)
	}

	u.received += f.length
	u.row.CurrentChunk++
	u.row.UpdatedAt = formatTime(c.now)

	if u.received >= u.row.Size {
		u.done()
		u.finish(c.now)
	}

	shown := u.row

	return []*wire.UploadTask{&shown}, nil
}

func (c *call) startUpload(f *form, kind wire.UploadResourceType, begin func(*form, string, int64) (func(), error)) (*upload, error) {
	name := f.texts["name"]
	if name == "" {
		name = f.name
	}

	size := f.length

	if text := f.texts["size"]; text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return nil, badRequest("body.size: %q is not a number of bytes", text)
		}

		size = n

		if unit := wire.ByteUnit(f.texts["size_unit"]); unit != "" {
			if !slices.Contains(byteUnits, unit) {
				return nil, badRequest("body.size_unit: %q is not one of %v", unit, byteUnits)
			}

			size = bytesOf(n, &unit)
		}
	}

	if name == "" {
		return nil, badRequest("body.name: required member is missing")
	}

	done, err := begin(f, name, size)
	if err != nil {
		return nil, err
	}

	u := c.newUpload(kind, name, size)
	u.done = done

	return u, nil
}

func uploadElfImage(c *call) (any, error) {
	return c.receivePiece(wire.UploadResourceTypeElfImage, func(f *form, name string, size int64) (func(), error) {
		in, err := c.clusterByID(f.texts["cluster_id"])
		w := c.world

		return func() { w.newImage(in, name, f.texts["description"], size, w.ids) }, err
	})
}

func uploadSvtImage(c *call) (any, error) {
	return c.receivePiece(wire.UploadResourceTypeSvtImage, func(f *form, name string, size int64) (func(), error) {
		in, err := c.clusterByID(f.texts["cluster_id"])
		if err != nil {
			return nil, err
		}

		version, err := strconv.Atoi(f.texts["version"])
		if f.texts["version"] != "" && err != nil {
			return nil, badRequest("body.version: %q is not a number", f.texts["version"])
		}

		w := c.world

		return func() { w.newToolsImage(in, name, version, size, w.ids) }, nil
	})
}

func uploadContentLibraryImage(c *call) (any, error) {
	return c.receivePiece(wire.UploadResourceTypeContentLibraryImage, func(f *form, name string, size int64) (func(), error) {
		clusters, err := matching(c.world, &c.clusters, wire.EntityCluster, json.RawMessage(f.texts["clusters"]))
		if err != nil {
			return nil, err
		}

		if len(clusters) == 0 {
			return nil, notFound("There is no cluster that matches")
		}

		w := c.world

		return func() { w.newLibraryImage(name, f.texts["description"], size, clusters) }, nil
	})
}

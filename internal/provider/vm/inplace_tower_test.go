// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// towerDocuments are the VMs as Tower shows them, by id, each with its parts:
// nics in their order, disks in the boot order (without that of cloud-init),
// each with its volume, labels with their values by key, and the owner.
func towerDocuments(sim *acctest.Sim) map[string]map[string]any {
	documents := map[string]map[string]any{}
	for _, vm := range sim.Rows("get-vms", rows{}) {
		labels := map[string]any{}
		for _, label := range listAt(vm, "labels") {
			labels[textAt(label, "key")] = valueAt(label, "value")
		}
		document := maps.Clone(vm)
		document["labels"], document["nics"], document["disks"] = labels, []any{}, []any{}
		if owner, err := sim.Server().VMOwner(textAt(vm, "name")); err == nil {
			document["owner"] = owner
		}
		documents[textAt(vm, "id")] = document
	}
	volumes := map[string]any{}
	for _, volume := range sim.Rows("get-vm-volumes", rows{}) {
		volumes[textAt(volume, "id")] = volume
	}
	add := func(part, operation, order string) {
		var found []map[string]any
		sim.Call(operation, rows{"orderBy": order}, &found)
		for _, row := range found {
			document, ok := documents[textAt(row, "vm.id")]
			if !ok || row["cloud_init_image_path"] != nil {
				continue
			}
			if volume, ok := volumes[textAt(row, "vm_volume.id")]; ok {
				row["volume"] = volume
			}
			list, _ := document[part].([]any)
			document[part] = append(list, any(row))
		}
	}
	add("nics", "get-vm-nics", "order_ASC")
	add("disks", "get-vm-disks", "boot_ASC")
	return documents
}

// valueAt follows a path such as nics.0.enabled into decoded JSON; nil where it
// leads nowhere. "nics.#" is how many there are.
func valueAt(value any, path string) any {
	for _, step := range strings.Split(path, ".") {
		switch in := value.(type) {
		case map[string]any:
			value = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			switch {
			case step == "#":
				value = len(in)
			case err == nil && i < len(in):
				value = in[i]
			default:
				return nil
			}
		default:
			return nil
		}
	}
	return value
}

func textAt(value any, path string) string {
	text, _ := valueAt(value, path).(string)
	return text
}

func listAt(value any, path string) []any {
	list, _ := valueAt(value, path).([]any)
	return list
}

// dataOf are the members of the data of a changing call, sorted. That of a call
// that makes something is not of interest.
func dataOf(body []byte) []string {
	var call struct {
		Data map[string]any `json:"data"`
	}
	if json.Unmarshal(body, &call) != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(call.Data))
}

// newKeyPair makes a certificate and its key, in PEM.
func newKeyPair(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, content []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}))
	}
	return block("CERTIFICATE", signed), block("PRIVATE KEY", encoded)
}

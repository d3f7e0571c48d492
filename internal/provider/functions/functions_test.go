// SPDX-License-Identifier: MPL-2.0

package functions_test

import (
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/functions"
)

const (
	small    = "3f2b9c1e-8a47-4d0e-9c55-0a1b2c3d4e5f"
	capitals = "3F2B9C1E-8A47-4D0E-9C55-0A1B2C3D4E5F"
)

func TestProviderID(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ in, want, err string }{
		"UUID":            {small, "elf://" + small, ""},
		"capitals":        {capitals, "elf://" + capitals, ""},
		"empty":           {"", "", "the local id is empty"},
		"placeholder":     {"placeholder-" + small, "", "only a placeholder for a local id"},
		"provider id":     {"elf://" + small, "", "is already a provider id"},
		"name":            {"web-0", "", `"web-0" is not a local id; a local id is a UUID such as`},
		"id of Tower":     {"clt3k2p9x00070858f9h3q2vb", "", "is not a local id"},
		"no hyphens":      {strings.ReplaceAll(small, "-", ""), "", "is not a local id"},
		"braces":          {"{" + small + "}", "", "is not a local id"},
		"URN":             {"urn:uuid:" + small, "", "is not a local id"},
		"blank":           {small + " ", "", "is not a local id"},
		"line break":      {small + "\n", "", "is not a local id"},
		"not hexadecimal": {"g" + small[1:], "", "is not a local id"},
		"hyphen moved":    {"3f2b9c1e8-a47-4d0e-9c55-0a1b2c3d4e5f", "", "is not a local id"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := functions.ProviderID(tc.in)
			check(t, got, tc.want, err, tc.err)
		})
	}
}

func TestLocalID(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ in, want, err string }{
		"provider id":       {"elf://" + small, small, ""},
		"capitals":          {"elf://" + capitals, capitals, ""},
		"empty":             {"", "", "the provider id is empty"},
		"local id":          {small, "", "has no scheme; a provider id is elf:// followed by the VM's local id"},
		"scheme alone":      {"elf://", "", "after elf://, the local id is empty"},
		"other platform":    {"vsphere://" + small, "", "belongs to another platform (vsphere)"},
		"scheme capitals":   {"ELF://" + small, "", "has the scheme in the wrong case"},
		"one slash":         {"elf:/" + small, "", "has no scheme"},
		"three slashes":     {"elf:///" + small, "", "is not a local id"},
		"twice":             {"elf://elf://" + small, "", "is already a provider id"},
		"placeholder":       {"elf://placeholder-" + small, "", "only a placeholder for a local id"},
		"blank before":      {" elf://" + small, "", "has white space around it"},
		"something behind":  {"elf://" + small + "/0", "", "is not a local id"},
		"no UUID":           {"elf://web-0", "", `"elf://web-0" is not the provider id of a VM: after elf://, "web-0" is not a local id`},
		"other, with elf":   {"kind://docker/elf/" + small, "", "belongs to another platform (kind)"},
		"without any parts": {"://", "", "has no scheme"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := functions.LocalID(tc.in)
			check(t, got, tc.want, err, tc.err)
		})
	}
}

func check(t *testing.T, got, want string, err error, message string) {
	t.Helper()
	switch {
	case message == "" && err != nil:
		t.Errorf("error %v, want none", err)
	case message != "" && (err == nil || !strings.Contains(err.Error(), message)):
		t.Errorf("error %v, want one that says %q", err, message)
	case got != want:
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzLocalID checks that each function undoes the other, whatever the text.
func FuzzLocalID(f *testing.F) {
	for _, seed := range []string{"", small, "elf://" + small, "elf://" + capitals, "elf://{" + small + "}", "ELF://" + small} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if localID, err := functions.LocalID(text); err == nil {
			if back, err := functions.ProviderID(localID); err != nil || back != text {
				t.Errorf("%q gives %q, and that gives %q (%v)", text, localID, back, err)
			}
		}
		if providerID, err := functions.ProviderID(text); err == nil {
			if back, err := functions.LocalID(providerID); err != nil || back != text {
				t.Errorf("%q gives %q, and that gives %q (%v)", text, providerID, back, err)
			}
		}
	})
}

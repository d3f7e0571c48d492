// SPDX-License-Identifier: MPL-2.0

// Package functions are the provider-defined functions: what a configuration
// can compute without Tower.
package functions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerid"
)

const scheme = providerid.Scheme

// placeholder begins what Tower shows for a local id until the cluster has made
// the VM.
const placeholder = "placeholder-"

// ProviderID returns the provider id of the VM that has the local id: what the
// spec.providerID of its Kubernetes node says. The letters stay as they are,
// since Kubernetes compares provider ids byte by byte. The error says what is
// wrong with a text that is no local id.
func ProviderID(localID string) (string, error) {
	if err := checkLocalID(localID); err != nil {
		return "", err
	}
	return scheme + localID, nil
}

// LocalID returns the local id that a provider id is made of. The error says
// what is wrong with a text that is no provider id of this platform.
func LocalID(providerID string) (string, error) {
	localID, found := strings.CutPrefix(providerID, scheme)
	if !found {
		return "", refuseProviderID(providerID)
	}
	if err := checkLocalID(localID); err != nil {
		return "", fmt.Errorf("%q is no provider id of a VM: after %s, %w", providerID, scheme, err)
	}
	return localID, nil
}

// refuseProviderID says what is wrong with a text without the scheme.
func refuseProviderID(providerID string) error {
	const form = "a provider id is " + scheme + " and the VM's local id"
	if providerID == "" {
		return errors.New("the provider id is empty; " + form)
	}
	other, _, qualified := strings.Cut(providerID, "://")
	switch {
	case providerID != strings.TrimSpace(providerID):
		return fmt.Errorf("%q has blanks around it; %s", providerID, form)
	case !qualified || other == "":
		return fmt.Errorf("%q has no scheme; %s", providerID, form)
	case strings.EqualFold(other+"://", scheme):
		return fmt.Errorf("%q has the scheme in other letters; %s, and Kubernetes tells capitals from small letters", providerID, form)
	}
	return fmt.Errorf("%q is of another platform (%s); %s", providerID, other, form)
}

// checkLocalID accepts a bare UUID, in capitals or small letters.
func checkLocalID(localID string) error {
	const form = "a local id is a UUID such as 7a1c7a1e-5c0e-4a4c-9b0e-0d4f3f1b2c3d"
	switch {
	case localID == "":
		return errors.New("the local id is empty; " + form)
	case strings.HasPrefix(localID, placeholder):
		return fmt.Errorf("%q only stands in for a local id until the cluster has made the VM", localID)
	case strings.HasPrefix(localID, scheme):
		return fmt.Errorf("%q is a provider id already", localID)
	case len(localID) != len(uuid.Nil.String()) || uuid.Validate(localID) != nil:
		return fmt.Errorf("%q is no local id; %s", localID, form)
	}
	return nil
}

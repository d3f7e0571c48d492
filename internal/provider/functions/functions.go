// SPDX-License-Identifier: MPL-2.0

// Package functions implements the provider-defined functions, which need no
// Tower.
package functions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerid"
)

const scheme = providerid.Scheme

// placeholder is the first part of what Tower shows as the local id until the
// cluster has created the VM.
const placeholder = "placeholder-"

// ProviderID returns the provider id of the VM that has the local id, which is
// the spec.providerID of its Kubernetes node. It keeps upper and lower case as
// they are, since Kubernetes compares provider ids byte by byte. If the text is
// not a local id, the error says why.
func ProviderID(localID string) (string, error) {
	if err := checkLocalID(localID); err != nil {
		return "", err
	}
	return scheme + localID, nil
}

// LocalID returns the local id in a provider id. If the text is not a provider id
// of this platform, the error says why.
func LocalID(providerID string) (string, error) {
	localID, found := strings.CutPrefix(providerID, scheme)
	if !found {
		return "", schemeError(providerID)
	}
	if err := checkLocalID(localID); err != nil {
		return "", fmt.Errorf("%q is not the provider id of a VM: after %s, %w", providerID, scheme, err)
	}
	return localID, nil
}

// schemeError says what is wrong with a provider id that does not begin with the
// scheme.
func schemeError(providerID string) error {
	const form = "a provider id is " + scheme + " followed by the VM's local id"
	if providerID == "" {
		return errors.New("the provider id is empty; " + form)
	}
	other, _, qualified := strings.Cut(providerID, "://")
	switch {
	case providerID != strings.TrimSpace(providerID):
		return fmt.Errorf("%q has white space around it; %s", providerID, form)
	case !qualified || other == "":
		return fmt.Errorf("%q has no scheme; %s", providerID, form)
	case strings.EqualFold(other+"://", scheme):
		return fmt.Errorf("%q has the scheme in the wrong case; %s, and Kubernetes compares provider ids case-sensitively", providerID, form)
	}
	return fmt.Errorf("%q belongs to another platform (%s); %s", providerID, other, form)
}

// checkLocalID returns an error unless the text is a bare UUID, in upper or lower
// case.
func checkLocalID(localID string) error {
	const form = "a local id is a UUID such as 7a1c7a1e-5c0e-4a4c-9b0e-0d4f3f1b2c3d"
	switch {
	case localID == "":
		return errors.New("the local id is empty; " + form)
	case strings.HasPrefix(localID, placeholder):
		return fmt.Errorf("%q is only a placeholder for a local id until the cluster has created the VM", localID)
	case strings.HasPrefix(localID, scheme):
		return fmt.Errorf("%q is already a provider id", localID)
	case len(localID) != len(uuid.Nil.String()) || uuid.Validate(localID) != nil:
		return fmt.Errorf("%q is not a local id; %s", localID, form)
	}
	return nil
}

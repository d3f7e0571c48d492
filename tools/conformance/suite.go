// SPDX-License-Identifier: MPL-2.0

// Package suite pins the modules that the integration suite of the vendor's SDK
// needs. The suite itself is not copied: it is built in the module cache.
package suite

import (
	_ "github.com/onsi/ginkgo/v2"
	_ "github.com/onsi/gomega"
	_ "github.com/smartxworks/cloudtower-go-sdk/v2/integration/fixture"
	_ "github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// SPDX-License-Identifier: MPL-2.0

// Package suite pins what the integration suite of the vendor's SDK needs to
// build. The suite itself is never copied: it is built where the module cache
// has it.
package suite

import (
	_ "github.com/onsi/ginkgo/v2"
	_ "github.com/onsi/gomega"
	_ "github.com/smartxworks/cloudtower-go-sdk/v2/integration/fixture"
	_ "github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// SPDX-License-Identifier: MPL-2.0

// Command terraform-provider-elf is a plugin with which Terraform and OpenTofu
// manage virtual machines on SmartX ELF clusters through CloudTower.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/smartxworks/terraform-provider-elf/internal/provider"
)

// version is set by the linker in a release.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "run until interrupted, and print how Terraform can attach to the provider (for debuggers)")
	flag.Parse()

	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: "registry.terraform.io/smartxworks/elf",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}

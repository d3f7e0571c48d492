terraform {
  required_providers {
    elf = { source = "smartxworks/elf" }
  }
}

# ELF_SERVER, ELF_USERNAME and ELF_PASSWORD configure the provider.
provider "elf" {}

terraform {
  required_providers {
    elf = { source = "smartxworks/elf" }
  }
}

# Where Tower is comes from ELF_SERVER, ELF_USERNAME and ELF_PASSWORD.
provider "elf" {}

terraform {
  required_providers {
    elf = {
      source = "smartxworks/elf"
    }
  }
}

provider "elf" {
  server   = "tower.example.com"
  username = "terraform"
  password = var.tower_password
}

variable "tower_password" {
  type      = string
  sensitive = true
}

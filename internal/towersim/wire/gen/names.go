// SPDX-License-Identifier: MPL-2.0

package main

import (
	"strings"
	"unicode"
)

// initialisms are the words that Go writes in capitals.
var initialisms = map[string]string{
	"api": "API", "bps": "BPS", "cpu": "CPU", "cpus": "CPUs", "dns": "DNS", "gpu": "GPU", "gpus": "GPUs",
	"ha": "HA", "http": "HTTP", "id": "ID", "ids": "IDs", "io": "IO", "iops": "IOPS", "ip": "IP", "ips": "IPs",
	"iso": "ISO", "mfa": "MFA", "ntp": "NTP", "os": "OS", "pci": "PCI", "qos": "QoS", "ui": "UI", "url": "URL",
	"usb": "USB", "uuid": "UUID", "uuids": "UUIDs", "vcpu": "VCPU", "vm": "VM", "vms": "VMs", "vnc": "VNC",
	"vpc": "VPC", "vgpu": "VGPU", "vgpus": "VGPUs", "mac": "MAC",
}

// goName converts a name of the document (snake case, camel case or a constant)
// to an exported Go identifier.
func goName(name string) string {
	var b strings.Builder
	for _, word := range words(name) {
		lower := strings.ToLower(word)
		if s, ok := initialisms[lower]; ok {
			b.WriteString(s)
			continue
		}
		b.WriteString(strings.ToUpper(lower[:1]) + lower[1:])
	}
	out := b.String()
	if out == "" || !unicode.IsLetter(rune(out[0])) {
		return "N" + out
	}
	return out
}

// words splits a name at separators and before capitals.
func words(name string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, string(word))
			word = nil
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if unicode.IsUpper(r) && i > 0 {
			endsAcronym := unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if !unicode.IsUpper(runes[i-1]) || endsAcronym {
				flush()
			}
		}
		word = append(word, r)
	}
	flush()
	return out
}

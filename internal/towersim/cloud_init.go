// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"net/netip"
	"regexp"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// Tower's limits on cloud-init data.
const (
	maxNameservers = 3
	maxPublicKeys  = 10
	maxUserData    = 32 << 10
	maxNICIndex    = 15
)

// checkCloudInit refuses what Tower refuses in the request itself, before it
// starts a task.
func checkCloudInit(in *wire.TemplateCloudInit) error {
	switch {
	case in == nil:
		return nil
	case len(in.Nameservers) > maxNameservers:
		return badRequest("cloud_init.nameservers: at most %d are allowed", maxNameservers)
	case len(in.PublicKeys) > maxPublicKeys:
		return badRequest("cloud_init.public_keys: at most %d are allowed", maxPublicKeys)
	case in.UserData != nil && len(*in.UserData) > maxUserData:
		return badRequest("cloud_init.user_data: at most %d bytes are allowed", maxUserData)
	}

	seen := map[int]bool{}

	for i, network := range in.Networks {
		field := fmt.Sprintf("cloud_init.networks[%d]", i)

		switch {
		case network.NicIndex < 0 || network.NicIndex > maxNICIndex:
			return badRequest("%s.nic_index: must be 0 to %d", field, maxNICIndex)
		case seen[network.NicIndex]:
			return badRequest("%s.nic_index: %d is given twice", field, network.NicIndex)
		case network.Type == wire.CloudInitNetworkTypeEnumIpv4 && (network.IPAddress == nil || network.Netmask == nil):
			return badRequest("%s: a static network needs ip_address and netmask", field)
		}

		seen[network.NicIndex] = true
	}

	return nil
}

func cloudInitFailure(format string, args ...any) *taskFailure {
	return failure("VM_CLOUD_INIT_CONFIG_ERROR", format, args...)
}

// cloudInitNetworks checks the content of a VM's cloud-init data, as the task
// does that builds the VM. It returns the static address of each NIC by the
// NIC's index, nil for a NIC that uses DHCP. The map is nil if the data has no
// networks.
func (b *blueprint) cloudInitNetworks() (map[int]*staticAddress, *taskFailure) {
	if b.cloudInitData == nil {
		return nil, nil
	}

	if !b.cloudInit {
		return nil, cloudInitFailure("The template does not support cloud-init.")
	}

	if b.guestOS != nil && *b.guestOS == wire.VMGuestsOperationSystemWindows && !windowsHostname(deref(b.cloudInitData.Hostname)) {
		return nil, cloudInitFailure("The hostname [%s] is not valid for Windows.", *b.cloudInitData.Hostname)
	}

	for _, server := range b.cloudInitData.Nameservers {
		if _, err := netip.ParseAddr(server); err != nil {
			return nil, cloudInitFailure("The nameserver [%s] is not an IP address.", server)
		}
	}

	if len(b.cloudInitData.Networks) == 0 {
		return nil, nil
	}

	networks := map[int]*staticAddress{}

	for i := range b.cloudInitData.Networks {
		network := &b.cloudInitData.Networks[i]
		if network.NicIndex >= len(b.nics) {
			return nil, cloudInitFailure("The VM has no NIC [%d].", network.NicIndex)
		}

		static, failed := staticAddressOf(network)
		if failed != nil {
			return nil, failed
		}

		networks[network.NicIndex] = static
	}

	return networks, nil
}

// windowsHostname reports whether Windows accepts a hostname: letters, digits
// and hyphens, but not only digits. An empty hostname is accepted.
func windowsHostname(name string) bool {
	return name == "" || windowsName.MatchString(name) && !digitsAlone.MatchString(name)
}

var (
	windowsName = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
	digitsAlone = regexp.MustCompile(`^[0-9]+$`)
)

// staticAddressOf returns the address of a static network, nil for a network
// with DHCP.
func staticAddressOf(network *wire.CloudInitNetWork) (*staticAddress, *taskFailure) {
	if network.Type != wire.CloudInitNetworkTypeEnumIpv4 {
		for _, route := range network.Routes {
			if failed := checkRoute(&route, netip.Prefix{}); failed != nil {
				return nil, failed
			}
		}

		return nil, nil
	}

	address, err := netip.ParseAddr(*network.IPAddress)
	if err != nil || !address.Is4() {
		return nil, cloudInitFailure("The IP address [%s] is not valid.", *network.IPAddress)
	}

	bits, ok := prefixLength(*network.Netmask)
	if !ok {
		return nil, cloudInitFailure("The netmask [%s] is not valid.", *network.Netmask)
	}

	static := &staticAddress{ip: address.String(), mask: *network.Netmask}

	for _, route := range network.Routes {
		if failed := checkRoute(&route, netip.PrefixFrom(address, bits).Masked()); failed != nil {
			return nil, failed
		}

		if route.Network == "0.0.0.0" && route.Netmask == "0.0.0.0" {
			static.gateway = route.Gateway
		}
	}

	return static, nil
}

// checkRoute refuses a route whose gateway is not in the subnet. The subnet is
// invalid if only the DHCP server knows it; then any gateway is accepted.
func checkRoute(route *wire.CloudInitNetWorkRoute, subnet netip.Prefix) *taskFailure {
	if _, err := netip.ParseAddr(route.Network); err != nil {
		return cloudInitFailure("The route's network [%s] is not valid.", route.Network)
	}

	if _, ok := prefixLength(route.Netmask); !ok {
		return cloudInitFailure("The route's netmask [%s] is not valid.", route.Netmask)
	}

	gateway, err := netip.ParseAddr(route.Gateway)
	if err != nil || subnet.IsValid() && !subnet.Contains(gateway) {
		return cloudInitFailure("The gateway [%s] is unreachable.", route.Gateway)
	}

	return nil
}

// prefixLength converts a dotted IPv4 mask into the length of a prefix.
func prefixLength(mask string) (int, bool) {
	address, err := netip.ParseAddr(mask)
	if err != nil || !address.Is4() {
		return 0, false
	}

	bits := 0

	for _, b := range address.As4() {
		for bit := 7; bit >= 0; bit-- {
			if b>>bit&1 == 1 {
				bits++
			}
		}
	}

	return bits, netmask(bits) == mask
}

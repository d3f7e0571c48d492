// SPDX-License-Identifier: MPL-2.0

package validators

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// ServerURL accepts the address of a Tower: a host, host:port, or a URL whose
// scheme is https or http. The diagnostic does not show a value that contains
// credentials.
func ServerURL() validator.String {
	return stringCheck{
		summary:     "Invalid server",
		description: `must be a host, host:port or URL such as "https://tower.example.com"`,
		hide:        func(value string) bool { return strings.Contains(value, "@") },
		check:       serverProblem,
	}
}

func serverProblem(value string) string {
	if strings.TrimSpace(value) != value || value == "" {
		return "that is empty or has white space around it"
	}
	// The colons in a bare IPv6 address do not separate a port.
	if _, err := netip.ParseAddr(value); err == nil {
		return ""
	}
	address := value
	if !strings.Contains(value, "://") {
		address = "https://" + value
	}
	u, err := url.Parse(address)
	if err != nil {
		return "that is not a URL"
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Sprintf("the scheme %q is neither https nor http", u.Scheme)
	}
	switch {
	case u.User != nil:
		return "it contains credentials, which belong in username and password"
	case u.Hostname() == "":
		return "it has no host"
	case strings.ContainsAny(u.Hostname(), " \t/\\"):
		return "its host is not a host name"
	case u.Path != "" && u.Path != "/":
		return fmt.Sprintf("it has the path %q, but the provider adds the path of the API itself", u.Path)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "it has a query or a fragment"
	case strings.HasSuffix(u.Host, ":"):
		return "its port is missing"
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return "its port is not between 1 and 65535"
		}
	}
	return ""
}

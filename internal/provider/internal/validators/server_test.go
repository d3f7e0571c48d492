// SPDX-License-Identifier: MPL-2.0

package validators_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/validators"
)

func TestServerURL(t *testing.T) {
	t.Parallel()
	const rule = `. It must be a host, host:port or URL such as "https://tower.example.com".`
	invalid := func(s, problem string) stringCase {
		return stringCase{
			value: types.StringValue(s), summary: "Invalid server",
			detail: `attribute is "` + s + `": ` + problem + rule,
		}
	}
	runStringCases(t, validators.ServerURL(), map[string]stringCase{
		"host":              valid("tower.example.com"),
		"short host":        valid("tower"),
		"host and port":     valid("tower.example.com:8443"),
		"address":           valid("10.0.0.2"),
		"address and port":  valid("127.0.0.1:8080"),
		"ipv6":              valid("fd00::2"),
		"ipv6 and port":     valid("[fd00::2]:443"),
		"https":             valid("https://tower.example.com"),
		"https, slash":      valid("https://tower.example.com/"),
		"http":              valid("http://127.0.0.1:8080"),
		"upper case scheme": valid("HTTPS://tower.example.com"),
		"ftp":               invalid("ftp://tower.example.com", `the scheme "ftp" is neither https nor http`),
		"no scheme":         invalid("://tower.example.com", "that is not a URL"),
		"no host":           invalid("https://", "it has no host"),
		"port only":         invalid(":443", "it has no host"),
		"port too big":      invalid("tower:70000", "its port is not between 1 and 65535"),
		"port zero":         invalid("tower:0", "its port is not between 1 and 65535"),
		"query":             invalid("https://tower/?a=b", "it has a query or a fragment"),
		"path":              invalid("https://tower/v2/api", `it has the path "/v2/api", but the provider adds the path of the API itself`),
		"colon, no port":    invalid("tower:", "its port is missing"),
		"blank":             invalid(" tower", "that is empty or has white space around it"),
		"empty":             invalid("", "that is empty or has white space around it"),
		"inner blank":       invalid("my tower", "that is not a URL"),
		"credentials": {
			value:   types.StringValue("https://root:secret@tower"),
			summary: "Invalid server",
			detail:  "attribute: it contains credentials, which belong in username and password" + rule,
		},
	})
}

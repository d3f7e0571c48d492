// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"time"
)

// The states of a guest's tools in a scenario.
const (
	toolsRunning      = "running"
	toolsNotRunning   = "not_running"
	toolsNotInstalled = "not_installed"
)

func (t *Timing) check() error {
	for field, span := range map[string]time.Duration{
		"task": t.Task, "boot": t.Boot, "dhcp": t.DHCP, "vmtools_sync": t.VMToolsSync,
	} {
		if span < 0 {
			return invalid("timing."+field, "must not be negative")
		}
	}

	return nil
}

func (s *Scenario) checkGuests() error {
	for i := range s.Guests {
		if err := s.Guests[i].check(fmt.Sprintf("guests[%d]", i)); err != nil {
			return err
		}
	}

	return nil
}

func (g *Guest) check(field string) error {
	if g.Match == "" {
		return invalid(field+".match", "is required")
	}

	if _, err := compileGlob(g.Match); err != nil {
		return invalid(field+".match", "%s", err)
	}

	switch g.VMTools {
	case "", toolsRunning, toolsNotRunning, toolsNotInstalled:
	default:
		return invalid(field+".vmtools", "must be running, not_running or not_installed, not %q", g.VMTools)
	}

	indexes := map[int]bool{}

	for n, nic := range g.NICs {
		at := fmt.Sprintf("%s.nics[%d]", field, n)

		if nic.Index < 0 || nic.Index > 15 {
			return invalid(at+".index", "must be 0 to 15, not %d", nic.Index)
		}

		if indexes[nic.Index] {
			return invalid(at+".index", "the NIC %d is given twice", nic.Index)
		}

		indexes[nic.Index] = true

		if err := checkAddress(at+".address", nic.Address); err != nil {
			return err
		}
	}

	for n, extra := range g.ExtraIPs {
		if err := checkAddress(fmt.Sprintf("%s.extra_ips[%d]", field, n), extra); err != nil {
			return err
		}
	}

	if g.KubernetesNode != nil {
		return checkAddress(field+".kubernetes_node.internal_ip", g.KubernetesNode.InternalIP)
	}

	return nil
}

func checkAddress(field, address string) error {
	if address == "" {
		return nil
	}

	if _, err := netip.ParseAddr(address); err != nil {
		return invalid(field, "must be an IP address, not %q", address)
	}

	return nil
}

// compileGlob converts a glob into a regular expression for a whole name: *
// matches any text, ? one character, [a-z] one character of a class, [!a-z] or
// [^a-z] one that is not in it, and \ the next character itself.
func compileGlob(glob string) (*regexp.Regexp, error) {
	var b strings.Builder

	b.WriteString(`(?s)\A`)

	for rest := glob; rest != ""; {
		c := rest[0]
		rest = rest[1:]

		switch c {
		case '*':
			b.WriteString(`.*`)
		case '?':
			b.WriteString(`.`)
		case '\\':
			if rest == "" {
				return nil, errors.New(`the glob ends in \`)
			}

			b.WriteString(regexp.QuoteMeta(rest[:1]))
			rest = rest[1:]
		case '[':
			class, after, closed := strings.Cut(rest, "]")
			if !closed || class == "" {
				return nil, fmt.Errorf("the class of the glob %q is not closed or empty", glob)
			}

			b.WriteString("[" + globClass(class) + "]")
			rest = after
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}

	b.WriteString(`\z`)

	expression, err := regexp.Compile(b.String())
	if err != nil {
		return nil, fmt.Errorf("the glob %q is not valid", glob)
	}

	return expression, nil
}

// globClass escapes the characters that have a meaning in regular expressions
// only.
func globClass(class string) string {
	negated := strings.HasPrefix(class, "!") || strings.HasPrefix(class, "^")
	if negated {
		class = class[1:]
	}

	class = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `^`, `\^`, `&`, `\&`).Replace(class)
	if negated {
		return "^" + class
	}

	return class
}

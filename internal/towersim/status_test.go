// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// page returns the status page.
func (x *tower) page(query string) string {
	x.t.Helper()

	response, body, err := x.send(http.MethodGet, "/"+query, nil, nil)
	if err != nil {
		x.t.Fatal(err)
	}

	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/html") {
		x.t.Fatalf("status %d, content type %q: %s", response.StatusCode, kind, body)
	}

	return string(body)
}

// articleOf returns the part of the page about one VM.
func articleOf(t *testing.T, page, name string) string {
	t.Helper()

	for _, article := range strings.Split(page, "<article ")[1:] {
		article, _, _ = strings.Cut(article, "</article>")
		if strings.Contains(article, ">"+name+"</h3>") {
			return article
		}
	}

	t.Fatalf("the page does not show %s", name)

	return ""
}

// bars returns the bars of a VM, by lane: kind, place and width.
func bars(t *testing.T, article string) [][]drawn {
	t.Helper()

	rect := regexp.MustCompile(`<rect class="([a-z]+)" x="([0-9.]+)%" width="([0-9.]+)%"`)

	var lanes [][]drawn

	for _, lane := range strings.Split(article, "<li ")[1:] {
		var found []drawn

		for _, match := range rect.FindAllStringSubmatch(lane, -1) {
			place, err := strconv.ParseFloat(match[2], 64)
			if err != nil {
				t.Fatal(err)
			}

			width, err := strconv.ParseFloat(match[3], 64)
			if err != nil {
				t.Fatal(err)
			}

			found = append(found, drawn{match[1], place, width})
		}

		lanes = append(lanes, found)
	}

	return lanes
}

type drawn struct {
	kind         string
	place, width float64
}

func kinds(lane []drawn) []string {
	all := make([]string, len(lane))
	for i, b := range lane {
		all[i] = b.kind
	}

	return all
}

func wantText(t *testing.T, what, text string, parts ...string) {
	t.Helper()

	text = strings.ReplaceAll(text, "&#43;", "+")

	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s does not say %q:\n%.3000s", what, part, text[max(strings.Index(text, "<main>"), 0):])
		}
	}
}

func TestStatusPageOfAnEmptyTower(t *testing.T) {
	x := start(t, "")
	wantText(t, "the page", x.page(""), "There are no VMs.", "cluster-1", "ELF_SERVER="+x.URL(), "CloudTower 4.6.0", "of 3 TiB")
}

func TestStatusPageShowsTheTimelineOfAVM(t *testing.T) {
	x := start(t, `
guests:
  - match: "ecp-*"
    nics:
      - {index: 0, dhcp: 5s, reported: 127s, link_local_first: true}
      - {index: 1, reported: never}
    kubernetes_node: {registered: 78s, internal_ip: 10.255.1.7}
`)
	vlan := x.idOf("get-vlans", "default")
	x.create(object{"name": "ecp-1", "vm_nics": []object{{"connect_vlan_id": vlan}, {"connect_vlan_id": vlan}}})

	step := func(d time.Duration, want [][]string, values ...string) {
		t.Helper()
		x.Advance(d)

		article := articleOf(t, x.page(""), "ecp-1")
		lanes := bars(t, article)

		if len(lanes) != len(want) {
			t.Fatalf("%d lanes, want %d:\n%s", len(lanes), len(want), article)
		}

		for i, lane := range lanes {
			wantStrings(t, fmt.Sprintf("lane %d", i), kinds(lane), want[i])

			end := 0.0
			for n, b := range lane {
				if n > 0 && (b.place < end-0.02 || b.place > end+0.02) || b.place+b.width > 100.01 {
					t.Errorf("lane %d: %v does not begin where the previous one ended", i, lane)
				}

				end = b.place + b.width
			}
		}

		wantText(t, "the VM", article, values...)
	}

	step(second, [][]string{{"made"}}, "being created", "CREATING")
	x.Advance(second)
	step(2*second, [][]string{{"made", "on"}, {"waiting"}, {"waiting"}, {"waiting"}},
		"no address yet, report due +2m09s", "never reported", "not registered, due +1m20s", `class="due"`)
	step(30*second, [][]string{{"made", "on"}, {"waiting", "leased"}, {"waiting", "leased"}, {"waiting"}}, "Tower shows 169.254.")
	step(60*second, [][]string{{"made", "on"}, {"waiting", "leased"}, {"waiting", "leased"}, {"waiting", "node"}},
		"10.255.1.7 registered +1m20s")
	step(60*second, [][]string{{"made", "on"}, {"waiting", "leased", "reported"}, {"waiting", "leased"}, {"waiting", "node"}},
		"reported +2m09s", "2m07s after the power-on")

	if err := x.SuspendGuest("ecp-1"); err != nil {
		t.Fatal(err)
	}

	step(second, [][]string{{"made", "on"}, {"waiting", "leased", "reported"}, {"waiting", "leased"}, {"waiting", "node"}},
		"SUSPENDED", ", suspended")

	if err := x.PowerOffGuest("ecp-1"); err != nil {
		t.Fatal(err)
	}

	step(second, [][]string{{"made", "on"}, {"waiting", "leased", "reported"}, {"waiting", "leased"}, {"waiting", "node"}},
		"STOPPED", "no longer shown since the power-off", "off +2m")

	if err := x.DeleteVM("ecp-1"); err != nil {
		t.Fatal(err)
	}

	page := x.page("")
	wantText(t, "the page", page, "There are no VMs.", "<b>Deleted</b>")
	wantText(t, "the deleted VM", articleOf(t, page, "ecp-1"), "DELETED", "gone")
}

func TestStatusPageShowsEachStateOfAVM(t *testing.T) {
	x := start(t, `
inventory:
  vms:
    - {name: off, nics: [default], power: STOPPED}
    - {name: plain, nics: [default]}
    - {name: late, nics: [default], power: STOPPED}
    - {name: unplugged, nics: [default]}
    - {name: mute, nics: [ecp]}
    - {name: binned, nics: [default]}
    - {name: hidden, nics: [default]}
    - {name: overruled, nics: [default]}
    - {name: nodeless, nics: [default]}
guests: [{match: nodeless, kubernetes_node: {registered: never}}]
`)
	x.Advance(time.Hour)
	x.mustOperate("start-vm", x.idOf("get-vms", "late"))
	x.mustOperate("update-vm-nic", x.idOf("get-vms", "unplugged"), object{"nic_index": 0, "enabled": false})

	for _, err := range []error{x.MoveToRecycleBin("binned"), x.HideVM("hidden", time.Hour), x.SetAddresses("overruled", "10.1.2.3")} {
		if err != nil {
			t.Fatal(err)
		}
	}

	page := x.page("")
	for name, want := range map[string]string{
		"off":       "never powered on",
		"plain":     "reported +1m22s",
		"late":      "powered on 1h00m after its creation",
		"unplugged": "disabled",
		"mute":      "never gets an address",
		"binned":    "in the recycle bin",
		"hidden":    "hidden from the API",
		"overruled": "10.1.2.3 reported",
		"nodeless":  "never registers",
	} {
		wantText(t, name, articleOf(t, page, name), want)
	}
}

func TestStatusPageFindsVMs(t *testing.T) {
	x := start(t, `
inventory: {vms: [{name: web-1, nics: [default]}, {name: db-1, nics: [default]}, {name: db-off, power: STOPPED}]}
guests: [{match: db-1, nics: [{index: 0, reported: never}]}]
`)
	x.Advance(time.Hour)

	for query, want := range map[string][]string{
		"":                      {"db-off", "db-1", "web-1"}, // the newest first
		"?name=db":              {"db-off", "db-1"},
		"?only=waiting":         {"db-1"},
		"?name=none":            nil,
		"?name=web&view=table":  {"web-1"},
		"?only=waiting&name=we": nil,
	} {
		page := x.page(query)

		var got []string
		for _, match := range regexp.MustCompile(`(?:<h3 [^>]*>|rowspan="\d+">)([a-z0-9-]+)`).FindAllStringSubmatch(page, -1) {
			got = append(got, match[1])
		}

		wantStrings(t, query, got, want)

		if want == nil {
			wantText(t, query, page, "No VM matches.")
		}
	}

	wantText(t, "the table", x.page("?view=table"), `<th scope="col">What happened</th>`, "reported +1m22s", "52:54:00:", "after the power-on")
}

func TestStatusPageShowsFailures(t *testing.T) {
	x := start(t, `
inventory: {clusters: [{name: cluster-1, hosts: [{name: h1}, {name: h2, state: MAINTENANCE_MODE}]}]}
faults:
  - {operation: get-hosts, skip: 2, times: 1, status: 500}
  - {operation: get-vlans, status: 429, slow: 1ms}
  - {operation: start-vm, locked_for: 10s}
  - {operation: create-vm-from-content-library-template, times: 1, task_error: {code: VM_SCHEDULE_FAILED, message: "no host"}}
`)
	x.create(object{"name": "lost"})
	x.call("get-hosts", object{})
	wantText(t, "the page", x.page(""), "Running tasks</dt><dd>1<")
	x.finishTasks()
	wantText(t, "the page", x.page(""), "Failed tasks", "<code>VM_SCHEDULE_FAILED</code> no host", "lost", "(1 not usable)",
		"let 1 of 2 requests pass", "status 429, slow by 1ms", "hit 0 requests, no limit", "locked for 10s",
		"task error VM_SCHEDULE_FAILED", "hit 1 of 1", "<code>get-hosts</code></td><td class=\"number\">1<")
}

func TestStatusPageWithManyVMs(t *testing.T) {
	var scenario strings.Builder

	scenario.WriteString("inventory:\n  clusters: [{name: cluster-1, hosts: 9}]\n  vms:\n")

	for i := range 501 {
		fmt.Fprintf(&scenario, "    - {name: vm-%03d, nics: [default]}\n", i)
	}

	x := start(t, scenario.String())
	page := x.page("")

	if n := strings.Count(page, "<article "); n != 500 {
		t.Errorf("%d VMs are shown", n)
	}

	wantText(t, "the page", page[:20_000], "501, the newest first", "The newest 500 are shown.")
	articleOf(t, page, "vm-500")
	articleOf(t, x.page("?name=vm-000"), "vm-000")
}

// Clients can send any name.
func TestStatusPageRunsNothingButItsOwnScript(t *testing.T) {
	const name = `<script>alert(1)</script>"onload="x`

	x := start(t, "")
	x.newVM(object{"name": name})

	response, body, err := x.send(http.MethodGet, "/?name="+url.QueryEscape(`<script>`), nil, nil)
	if err != nil {
		t.Fatal(err)
	}

	page := string(body)
	if strings.Contains(page, "<script>") || strings.Contains(page, `"onload`) {
		t.Error("a name is not escaped")
	}

	wantText(t, "the page", page, "&lt;script&gt;alert(1)")

	policy := response.Header.Get("Content-Security-Policy")
	nonce := regexp.MustCompile(`script-src 'nonce-([A-Z0-9]+)';`).FindStringSubmatch(policy)

	if nonce == nil || !strings.Contains(policy, "default-src 'none'") {
		t.Fatalf("the policy is %q", policy)
	}

	wantText(t, "the page", page, `<script nonce="`+nonce[1]+`">`, `<style nonce="`+nonce[1]+`">`)

	if regexp.MustCompile(`(src|href)="(https?:)?//`).MatchString(page) {
		t.Error("the page requests something from another server")
	}
}

func TestStatusPageChangesNothing(t *testing.T) {
	x := startLoggedOut(t, "")
	x.page("")

	if n := x.Stats().Total; n != 0 {
		t.Errorf("it is counted as %d requests", n)
	}

	for path, method := range map[string]string{"/": http.MethodPost, "/index.html": http.MethodGet} {
		response, body, err := x.send(method, path, nil, nil)
		if err != nil {
			t.Fatal(err)
		}

		if response.StatusCode != http.StatusNotFound || !strings.Contains(string(body), `"status":404`) {
			t.Errorf("%s %s: status %d: %s", method, path, response.StatusCode, body)
		}
	}

	response, err := http.Head(x.URL() + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	if rest, err := io.ReadAll(response.Body); err != nil || len(rest) > 0 || response.StatusCode != http.StatusOK {
		t.Errorf("HEAD: status %d, %d bytes, %v", response.StatusCode, len(rest), err)
	}
}

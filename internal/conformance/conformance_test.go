// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest/openapicheck"
)

// envFake makes this test's binary act as a suite. Its value says how the suite
// behaves.
const envFake = "CONFORMANCE_FAKE_SUITE"

func TestMain(m *testing.M) {
	if behaviour := os.Getenv(envFake); behaviour != "" {
		os.Exit(fakeSuite(behaviour, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// fakeSuite does the essentials of the suite's binary.
func fakeSuite(behaviour string, args []string) int {
	endpoint := "http://" + os.Getenv("CLOUDTOWER_SDK_ENDPOINT") + openapicheck.BasePath
	response, err := http.Get(endpoint + "/get-version")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	_ = response.Body.Close()
	if behaviour == "dies" {
		fmt.Println("panic: somebody indexed a list")
		return 2
	}
	if behaviour == "overlooks" {
		response, err := http.Post(endpoint+"/no-such-operation", "application/json", strings.NewReader("{}"))
		if err != nil {
			fmt.Println(err)
			return 1
		}
		_ = response.Body.Close()
	}
	specs := []spec{passing("some spec"), skipped("pending", "restart"), skipped("pending", "shutdown"), skipped("skipped", brokenFocus)}
	specs[1].Containers, specs[2].Containers, specs[3].Containers = []string{"Vm Api"}, []string{"Vm Api"}, []string{"Iscsi lun snapshot api"}
	specs[1].Text, specs[2].Text = "should restart vm", "should shutdown vm"
	code := 0
	if behaviour == "fails" {
		specs[0].State, specs[0].Failure.Message, code = "failed", "expected nil", 1
	}
	for _, arg := range args {
		if path, ok := strings.CutPrefix(arg, "-ginkgo.json-report="); ok {
			raw, err := json.Marshal([]map[string]any{{"SpecReports": specs}})
			if err != nil || os.WriteFile(path, raw, 0o600) != nil {
				return 3
			}
		}
	}
	return code
}

func passing(text string) spec { return spec{Kind: "It", Text: text, State: "passed"} }

func skipped(state, text string) spec { return spec{Kind: "It", Text: text, State: state} }

func TestRunSuite(t *testing.T) {
	t.Setenv(openapicheck.EnvDocument, "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for behaviour, want := range map[string][]string{
		// The fake suite never sends the request that the separate spec is
		// about.
		"passes":    {"the simulator did not answer " + brokenOperation},
		"fails":     {"some spec failed: expected nil"},
		"dies":      {"there is no report", "somebody indexed a list"},
		"overlooks": {"no-such-operation answered 501, 2 times"},
	} {
		t.Run(behaviour, func(t *testing.T) {
			t.Setenv(envFake, behaviour)
			var out bytes.Buffer
			err := runSuite(t.Context(), self, &out)
			for _, text := range want {
				if err == nil || !strings.Contains(err.Error(), text) {
					t.Errorf("the error lacks %q: %v", text, err)
				}
			}
			if behaviour == "passes" && !strings.Contains(out.String(), "1 specs passed, 0 problems") {
				t.Errorf("the summary is %q", out.String())
			}
		})
	}
}

func TestCheckSpecs(t *testing.T) {
	listed := func() []spec {
		var specs []spec
		for name := range pending {
			specs = append(specs, skipped("pending", name))
		}
		return append(specs, skipped("skipped", brokenSpec), passing("a"), spec{Kind: "BeforeSuite", State: "passed"})
	}
	cases := map[string]struct {
		specs []spec
		want  string // part of the only problem, "" for none
	}{
		"all passed":           {listed(), ""},
		"one failed":           {append(listed(), spec{Kind: "It", Text: "b", State: "panicked"}), "b panicked"},
		"one skipped silently": {append(listed(), skipped("skipped", "b")), "b is skipped, but is not listed"},
		"one pending silently": {append(listed(), skipped("pending", "b")), "b is pending, but is not listed"},
		"the set-up failed":    {append(listed(), spec{Kind: "BeforeSuite", State: "failed"}), "BeforeSuite failed"},
		"a listed one is gone": {listed()[1:], "is listed, but not in the suite"},
		"nothing ran":          {listed()[:len(pending)+1], "no spec passed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			v := checkSpecs(c.specs)
			switch {
			case c.want == "" && len(v.problems) == 0:
			case c.want != "" && len(v.problems) == 1 && strings.Contains(v.problems[0].Error(), c.want):
			default:
				t.Errorf("the problems are %v, want %q", v.problems, c.want)
			}
		})
	}
}

func TestReasonsAreShort(t *testing.T) {
	s := passing("a")
	s.Failure.Message = strings.Repeat("much\n too long ", 200)
	if text := s.failureText(); len(text) > 500 || strings.Contains(text, "\n") {
		t.Errorf("a failure takes %d bytes: %s", len(text), text)
	}
}

// The suite finds its cluster and its network by name, and gives up if one is
// missing.
func TestScenarioHoldsTheFixtures(t *testing.T) {
	tower, err := startTower(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := tower.close(); err != nil {
			t.Error(err)
		}
	}()
	token := ""
	call := func(operation, body string, into any) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			"http://"+tower.host+openapicheck.BasePath+"/"+operation, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		raw, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %v", operation, raw, err)
		}
		if err := json.Unmarshal(raw, into); err != nil {
			t.Fatal(err)
		}
	}
	var login struct{ Data struct{ Token string } }
	call("login", fmt.Sprintf(`{"username": %q, "password": %q, "source": "LOCAL"}`, tower.server.Username(), tower.server.Password()), &login)
	token = login.Data.Token

	var clusters, vlans []struct{ ID string }
	call("get-clusters", `{"where": {"name": "xiaojun-502-ELF-nestedX20220426111859"}, "first": 1}`, &clusters)
	if len(clusters) != 1 {
		t.Fatalf("%d clusters have the suite's name", len(clusters))
	}
	call("get-vlans", fmt.Sprintf(`{"where": {"name": "default", "vds": {"cluster": {"id": %q}, "internal": false}}}`, clusters[0].ID), &vlans)
	if len(vlans) != 1 {
		t.Fatalf("%d networks have the suite's name", len(vlans))
	}
}

func TestReportAcceptance(t *testing.T) {
	const (
		pass   = `{"Action":"pass","Package":"p","Test":"TestAccA"}` + "\n"
		sub    = `{"Action":"pass","Package":"p","Test":"TestAccA/case"}` + "\n"
		fail   = `{"Action":"fail","Package":"p","Test":"TestAccB"}` + "\n"
		counts = `{"Action":"attr","Package":"p","Test":"TestAccA","Key":"openapi-exchanges","Value":"get-vms=12 start-vm=1"}` + "\n" +
			`{"Action":"attr","Package":"p","Test":"TestAccA","Key":"openapi-exchanges","Value":"get-vms=3"}` + "\n"
		broken = `{"Action":"attr","Package":"p","Test":"TestAccA","Key":"openapi-exchanges","Value":"get-vms=many"}` + "\n"
	)
	cases := map[string]struct{ events, loadDocument, printed, failure string }{
		"counted":         {pass + sub + counts, "tower.json", "16 exchanges on 2 operations compared, in 2 simulated Towers of 1 tests", ""},
		"a failed test":   {pass + fail + counts, "tower.json", "", "1 tests failed"},
		"nothing counted": {pass, "tower.json", "0 exchanges", "no exchange was compared"},
		"no document":     {pass, "", "1 passed; not compared", ""},
		"no count":        {broken, "tower.json", "", `"get-vms=many" is not a count`},
		"no events":       {"?", "tower.json", "", "read the output of the tests"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv(openapicheck.EnvDocument, c.loadDocument)
			path := filepath.Join(t.TempDir(), "events.json")
			if err := os.WriteFile(path, []byte(c.events), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			err := run(t.Context(), "", path, &out)
			if !strings.Contains(out.String(), c.printed) {
				t.Errorf("%q was printed, want %q", out.String(), c.printed)
			}
			if c.failure == "" && err != nil || c.failure != "" && (err == nil || !strings.Contains(err.Error(), c.failure)) {
				t.Errorf("the error is %v, want %q", err, c.failure)
			}
		})
	}
}

func TestCountsReadBackAsWritten(t *testing.T) {
	sum := summary{operations: map[string]bool{}}
	if err := sum.add(openapicheck.FormatCounts(map[string]int{"/get-vms": 2, "/start-vm": 5})); err != nil {
		t.Fatal(err)
	}
	if sum.exchanges != 7 || !sum.operations["get-vms"] || !sum.operations["start-vm"] {
		t.Errorf("the sum is %+v", sum)
	}
}

func TestNothingToDo(t *testing.T) {
	if err := run(t.Context(), "", "", io.Discard); err == nil {
		t.Error("a run with nothing to do succeeded")
	}
}

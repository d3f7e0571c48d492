// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// launch runs the command until the test stops it, and returns the variables
// that it exports.
func launch(t *testing.T, args ...string) (env map[string]string, stop func() int) {
	t.Helper()

	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	code := make(chan int, 1)

	go func() {
		code <- run(ctx, args, in, io.Discard)

		_ = in.Close()
	}()

	t.Cleanup(cancel)

	env = map[string]string{}
	lines := bufio.NewScanner(out)

	// The password is the last variable, or the last but one with a
	// certificate.
	for lines.Scan() {
		name, value, found := strings.Cut(strings.TrimPrefix(lines.Text(), "export "), "=")
		if !found || !strings.HasPrefix(lines.Text(), "export ") {
			t.Fatalf("the line %q exports nothing", lines.Text())
		}

		env[name] = value

		if len(env) == 3+count(args, "--tls") {
			break
		}
	}

	return env, func() int {
		cancel()

		return <-code
	}
}

func count(list []string, x string) int {
	n := 0

	for _, y := range list {
		if x == y {
			n++
		}
	}

	return n
}

func TestServesUntilItIsStopped(t *testing.T) {
	env, stop := launch(t)

	response, err := http.Get(env["ELF_SERVER"] + "/v2/api/get-version")
	if err != nil {
		t.Fatal(err)
	}

	body, err := io.ReadAll(response.Body)
	if err != nil || string(body) != `"4.6.0"` {
		t.Errorf("%v: %s", err, body)
	}

	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}

	if env["ELF_USERNAME"] != "root" || env["ELF_PASSWORD"] != "tower-sim-password" || !strings.HasPrefix(env["ELF_SERVER"], "http://127.0.0.1:") {
		t.Errorf("got %v", env)
	}

	if code := stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestCertificateIsAFileWhileItRuns(t *testing.T) {
	env, stop := launch(t, "--tls")
	path := env["ELF_CA_CERTIFICATE"]

	raw, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(raw, []byte("-----BEGIN CERTIFICATE-----")) || !strings.HasPrefix(env["ELF_SERVER"], "https://") {
		t.Errorf("%v: %v: %s", env, err, raw)
	}

	if code := stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}

	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
}

func TestFirstUserOfTheScenarioIsExported(t *testing.T) {
	env, stop := launch(t, "--scenario", scenario(t, `{inventory: {users: [{username: ann, password: "it's"}]}}`), "--task", "0s", "--speed", "5")

	if env["ELF_USERNAME"] != "ann" || env["ELF_PASSWORD"] != `'it'\''s'` {
		t.Errorf("got %v", env)
	}

	stop()
}

func scenario(t *testing.T, content string) string {
	t.Helper()

	path := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}

	return path
}

func TestUsageErrorsExitWithTwo(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"scenario": {[]string{"--scenario", scenario(t, "mfa: true\ntiming: {tusk: 1s}")}, "line 2: timing.tusk: unknown key"},
		"no file":  {[]string{"--scenario", filepath.Join(t.TempDir(), "none")}, "no such file"},
		"flag":     {[]string{"--nope"}, "flag provided but not defined"},
		"argument": {[]string{"nope"}, "unexpected argument"},
		"speed":    {[]string{"--speed", "0"}, "--speed must be more than 0"},
		"no speed": {[]string{"--speed", "NaN"}, "--speed must be more than 0"},
		"too fast": {[]string{"--speed", "Inf"}, "at most 100000"},
		"task":     {[]string{"--task", "2"}, "--task must be a duration"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, log bytes.Buffer

			code := run(t.Context(), test.args, &out, &log)
			if code != 2 || out.Len() != 0 || !strings.Contains(log.String(), test.want) {
				t.Errorf("exit code %d, stdout %q, stderr %q", code, out.String(), log.String())
			}
		})
	}
}

func TestAddressInUseExitsWithOne(t *testing.T) {
	env, stop := launch(t)
	defer stop()

	var log bytes.Buffer

	address := strings.TrimPrefix(env["ELF_SERVER"], "http://")
	if code := run(t.Context(), []string{"--listen", address}, io.Discard, &log); code != 1 || !strings.Contains(log.String(), "cannot listen") {
		t.Errorf("exit code %d, stderr %q", code, log.String())
	}
}

func TestHelpExplainsTheScenario(t *testing.T) {
	var out bytes.Buffer

	if code := run(t.Context(), []string{"--help"}, &out, io.Discard); code != 0 {
		t.Errorf("exit code %d", code)
	}

	for _, word := range []string{"--listen", "--scenario", "--speed", "--tls", "--task", "guests:", "faults:", "/_sim/v1/stats"} {
		if !strings.Contains(out.String(), word) {
			t.Errorf("--help does not mention %s", word)
		}
	}
}

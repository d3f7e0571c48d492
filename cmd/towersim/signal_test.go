// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bufio"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// asCommand makes the test binary act as the command.
const asCommand = "TOWERSIM_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}

	os.Exit(m.Run())
}

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()

	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), asCommand+"=1")

	return c
}

func TestSignalsEndItWithExitCodeZero(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(signal.String(), func(t *testing.T) {
			// A request that is never answered must not delay the exit.
			c := command(t, "--scenario", scenario(t, "faults: [{operation: get-version, hang: true}]"))

			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}

			if err := c.Start(); err != nil {
				t.Fatal(err)
			}

			lines := bufio.NewScanner(out)
			if !lines.Scan() {
				t.Fatalf("it printed nothing: %v", lines.Err())
			}

			server, found := strings.CutPrefix(lines.Text(), "export ELF_SERVER=")
			if !found {
				t.Fatalf("the first line is %q", lines.Text())
			}

			asked := make(chan struct{})

			go func() {
				defer close(asked)

				if response, err := http.Get(server + "/v2/api/get-version"); err == nil {
					_ = response.Body.Close()
				}
			}()

			for {
				response, err := http.Get(server + "/_sim/v1/stats")
				if err != nil {
					t.Fatal(err)
				}

				counted := bufio.NewScanner(response.Body)
				seen := false

				for counted.Scan() {
					seen = seen || strings.Contains(counted.Text(), "get-version")
				}

				_ = response.Body.Close()

				if seen {
					break
				}
			}

			if err := c.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}

			for lines.Scan() { // the pipe must be read to its end before Wait
			}

			if err := c.Wait(); err != nil {
				t.Errorf("it ended with %v", err)
			}

			<-asked
		})
	}
}

func TestBadScenarioEndsItWithExitCodeTwo(t *testing.T) {
	path := scenario(t, "version: 4.6.0\ninventory:\n  clusters:\n    - name: c\n      vlans: [{name: a, dhcp: 10.0.0.0}]\n")

	out, err := command(t, "--scenario", path).CombinedOutput()

	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("it ended with %v", err)
	}

	if want := "line 5: inventory.clusters[0].vlans[0].dhcp: "; !strings.Contains(string(out), want) || strings.Contains(string(out), "export") {
		t.Errorf("%s lacks %q", out, want)
	}
}

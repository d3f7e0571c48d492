// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMain lets the test binary stand in for the programs that the demo starts.
// The name under which it was started decides which one.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "towersim":
		os.Exit(actAsSimulator())
	case "terraform":
		os.Exit(actAsTerraform(os.Args[1:]))
	default:
		os.Exit(m.Run())
	}
}

// actAsSimulator starts and stops as towersim does, but does not listen.
func actAsSimulator() int {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	if os.Getenv("STAND_IN_SIMULATOR") == "broken" {
		fmt.Fprintln(os.Stderr, "towersim.yaml:3: speed: not a number")
		return 2
	}
	fmt.Println("export ELF_SERVER=https://127.0.0.1:1\nexport ELF_USERNAME=root\nexport ELF_PASSWORD='secret'\nexport ELF_CA_CERTIFICATE=ca.pem")
	<-stop
	return 0
}

// actAsTerraform writes each call to a file, with the variables that it got.
func actAsTerraform(args []string) int {
	calls, err := os.OpenFile(os.Getenv("STAND_IN_CALLS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer calls.Close()
	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, os.Interrupt)
	fmt.Fprintln(calls, args[0], os.Getenv("ELF_SERVER"), os.Getenv("ELF_PASSWORD"), os.Getenv("ELF_API_TOKEN"))

	switch args[0] {
	case "apply":
		if os.Getenv("STAND_IN_APPLY") == "hangs" {
			<-interrupt
			fmt.Fprintln(calls, "interrupted")
			return 1
		}
	case "output":
		fmt.Println(`{"vms": {"value": [{"name": "a", "ip_addresses": ["10.255.1.7", "240.255.0.1"],
			"network_readiness_report": {"source": "tower", "waited": "6.1s"}}]}}`)
	case "destroy":
		fmt.Println("the plan again\nDestroy complete! Resources: 1 destroyed.")
	}
	return 0
}

// stage is a demo whose programs are stand-ins.
type stage struct {
	opts   options
	temp   string // the folder in which the demo creates its own
	calls  string // the file to which the stand-in for the CLI writes its calls
	stdout bytes.Buffer
}

func newStage(t *testing.T) *stage {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	st := &stage{temp: t.TempDir(), calls: filepath.Join(dir, "calls")}
	st.opts = options{cli: filepath.Join(dir, "terraform"), bin: dir, config: filepath.Join("..", "..", "examples", "demo"), speed: 20}
	for _, name := range []string{"terraform", "towersim"} {
		if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TMPDIR", st.temp)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // else each stand-in takes a second longer to end
	t.Setenv("STAND_IN_CALLS", st.calls)
	t.Setenv("ELF_SERVER", "tower.example.com")
	t.Setenv("ELF_API_TOKEN", "of a real Tower")
	return st
}

func (st *stage) called(t *testing.T) string {
	t.Helper()
	calls, err := os.ReadFile(st.calls)
	if err != nil {
		t.Fatal(err)
	}
	return string(calls)
}

// checkNothingLeft fails if the demo has left files behind.
func (st *stage) checkNothingLeft(t *testing.T) {
	t.Helper()
	left, err := os.ReadDir(st.temp)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("the demo left %s", left[0].Name())
	}
}

func TestRun(t *testing.T) {
	st := newStage(t)
	if err := run(context.Background(), st.opts, &st.stdout, os.Stderr); err != nil {
		t.Fatal(err)
	}
	want := "\nDestroy complete! Resources: 1 destroyed.\n\na 10.255.1.7,240.255.0.1 6.1s tower\n"
	if diff := cmp.Diff(want, st.stdout.String()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	want = strings.Join([]string{"apply", "output", "destroy", ""}, " https://127.0.0.1:1 secret \n")
	if diff := cmp.Diff(want, st.called(t)); diff != "" {
		t.Errorf("calls of the CLI (-want +got):\n%s", diff)
	}
	st.checkNothingLeft(t)
}

func TestRun_keep(t *testing.T) {
	st := newStage(t)
	st.opts.keep = true
	if err := run(context.Background(), st.opts, &st.stdout, os.Stderr); err != nil {
		t.Fatal(err)
	}
	out := st.stdout.String()
	if strings.Contains(st.called(t), "destroy") {
		t.Error("the VMs were destroyed although the demo was to be kept")
	}
	if !strings.HasSuffix(out, "\n\na 10.255.1.7,240.255.0.1 6.1s tower\n") {
		t.Errorf("the output does not end with the VM's line:\n%s", out)
	}
	_, stop, ok := strings.Cut(out, "remove its files:\n\n  ")
	if !ok {
		t.Fatalf("the output does not say how to stop it:\n%s", out)
	}
	stop, _, _ = strings.Cut(stop, "\n")
	if msg, err := exec.CommandContext(t.Context(), "sh", "-ec", stop).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", stop, err, msg)
	}
	st.checkNothingLeft(t)
}

func TestRun_interrupted(t *testing.T) {
	st := newStage(t)
	t.Setenv("STAND_IN_APPLY", "hangs")
	ctx, interrupt := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, st.opts, &st.stdout, os.Stderr) }()

	deadline := time.After(time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for calls := ""; !strings.HasPrefix(calls, "apply"); {
		select {
		case <-tick.C:
			data, err := os.ReadFile(st.calls)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			calls = string(data)
		case <-deadline:
			t.Fatal("apply was never called")
		}
	}
	interrupt()
	if err := <-ended; err == nil {
		t.Error("an interrupted demo ended without an error")
	}
	if got := st.called(t); !strings.HasSuffix(got, "\ninterrupted\n") {
		t.Errorf("the CLI did not get the time to end after the interrupt: %q", got)
	}
	st.checkNothingLeft(t)
}

func TestRun_simulatorThatDoesNotStart(t *testing.T) {
	st := newStage(t)
	t.Setenv("STAND_IN_SIMULATOR", "broken")
	err := run(context.Background(), st.opts, &st.stdout, os.Stderr)
	if err == nil || !strings.Contains(err.Error(), "towersim.yaml:3: speed: not a number") {
		t.Errorf("got %v, want the simulator's own words", err)
	}
	st.checkNothingLeft(t)
}

func TestReport(t *testing.T) {
	const ready = `{"name": "a", "ip_addresses": ["10.255.1.7"], "network_readiness_report": {"source": "tower", "waited": "6s"}}`
	tests := map[string]struct {
		json    string
		want    []string
		wantErr string
	}{
		"two VMs":    {json: `{"vms": {"value": [` + ready + `,` + ready + `]}}`, want: []string{"a 10.255.1.7 6s tower", "a 10.255.1.7 6s tower"}},
		"no address": {json: `{"vms": {"value": [{"name": "b", "ip_addresses": []}]}}`, wantErr: `VM "b" has no address`},
		"no output":  {json: `{}`, wantErr: `no output "vms"`},
		"no JSON":    {json: `Error: `, wantErr: "reading the outputs"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := report([]byte(tt.json))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			if (err == nil) != (tt.wantErr == "") || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("got error %v, want %q", err, tt.wantErr)
			}
		})
	}
}

func TestExports(t *testing.T) {
	tests := map[string]struct {
		output string
		want   []string
	}{
		"as eval takes them": {
			output: "export ELF_SERVER=https://127.0.0.1:80\nexport ELF_USERNAME=root\nexport ELF_PASSWORD='a b'\nexport ELF_CA_CERTIFICATE=/a.pem\n",
			want:   []string{"ELF_SERVER=https://127.0.0.1:80", "ELF_USERNAME=root", "ELF_PASSWORD=a b", "ELF_CA_CERTIFICATE=/a.pem"},
		},
		"cut short": {output: "export ELF_SERVER=https://127.0.0.1:80\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, exports(strings.NewReader(tt.output))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// startTimeout is how long the simulator may take to start; stopTimeout is how long it, or an
	// interrupted CLI, may take to stop.
	startTimeout = 30 * time.Second
	stopTimeout  = 20 * time.Second
	// pollInterval is short, because the simulator's time runs faster than real time.
	pollInterval = 500 * time.Millisecond
)

// simulator is a running towersim.
type simulator struct {
	cmd  *exec.Cmd
	env  []string      // the variables that configure the provider for it
	done chan struct{} // closed when it has ended
}

// startSimulator starts towersim on a free port and waits until it listens.
// It logs to towersim.log in the workspace.
func startSimulator(ctx context.Context, ws *workspace, speed float64) (*simulator, error) {
	log, err := os.Create(filepath.Join(ws.dir, "towersim.log"))
	if err != nil {
		return nil, fmt.Errorf("creating the simulator's log: %w", err)
	}
	defer log.Close()

	// No context may end the simulator: it must outlive an interrupted CLI and a kept demo. stop ends it.
	cmd := exec.Command(ws.simulator, //nolint:noctx // see above
		"--listen", "127.0.0.1:0",
		"--tls",
		"--scenario", filepath.Join(ws.dir, scenarioFile),
		"--speed", strconv.FormatFloat(speed, 'g', -1, 64))
	cmd.Stderr = log
	detach(cmd)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the simulator: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the simulator: %w", err)
	}

	sim := &simulator{cmd: cmd, done: make(chan struct{})}
	ready := make(chan []string, 1)
	go func() {
		ready <- exports(stdout)
		_, _ = io.Copy(io.Discard, stdout)
		_ = cmd.Wait() // its result adds nothing: either the simulator was stopped, or its log says why it ended
		close(sim.done)
	}()

	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	select {
	case sim.env = <-ready:
		if len(sim.env) > 0 {
			sim.env = append(sim.env, "ELF_POLL_INTERVAL="+pollInterval.String())
			return sim, nil
		}
		err = errors.New("it ended without printing its address")
	case <-ctx.Done():
		err = ctx.Err()
	}
	err = errors.Join(err, sim.stop())
	logged, readErr := os.ReadFile(log.Name())
	return nil, fmt.Errorf("starting the simulator: %w\n%s", errors.Join(err, readErr), logged)
}

// exports reads the simulator's export lines until it has all that a client
// needs, and returns them as NAME=value. It returns nil if the output ends
// before that.
func exports(r io.Reader) []string {
	missing := map[string]bool{"ELF_SERVER": true, "ELF_USERNAME": true, "ELF_PASSWORD": true, "ELF_CA_CERTIFICATE": true}
	var env []string
	for scan := bufio.NewScanner(r); scan.Scan(); {
		pair, ok := strings.CutPrefix(scan.Text(), "export ")
		if !ok {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		env = append(env, name+"="+strings.Trim(value, `'"`))
		delete(missing, name)
		if len(missing) == 0 {
			return env
		}
	}
	return nil
}

// stop stops the simulator and waits until it has ended. It ignores the exit
// status of a simulator that stops when it is told to.
func (s *simulator) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return errors.Join(fmt.Errorf("stopping the simulator: %w", err), s.cmd.Process.Kill())
	}
	select {
	case <-s.done:
		return nil
	case <-time.After(stopTimeout):
		return errors.Join(errors.New("the simulator did not stop when asked to and was killed"), s.cmd.Process.Kill())
	}
}

// cli runs terraform or tofu in one folder and environment.
type cli struct {
	path, dir      string
	env            []string
	stdout, stderr io.Writer
	color          bool
}

// run runs a command and shows its output. When ctx ends, the CLI is
// interrupted, as by Ctrl-C, and killed if it does not end within stopTimeout.
func (c cli) run(ctx context.Context, args ...string) error {
	if !c.color {
		args = append(args, "-no-color")
	}
	cmd := c.command(ctx, args)
	cmd.Stdout = c.stdout
	return c.finish(cmd, cmd.Run(), args)
}

// output runs a command and returns its output.
func (c cli) output(ctx context.Context, args ...string) ([]byte, error) {
	cmd := c.command(ctx, append(args, "-no-color"))
	out, err := cmd.Output()
	return out, c.finish(cmd, err, args)
}

func (c cli) command(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.path, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = c.dir, c.env, c.stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopTimeout
	detach(cmd)
	return cmd
}

func (c cli) finish(cmd *exec.Cmd, err error, args []string) error {
	if err == nil {
		return nil
	}
	killGroup(cmd)
	return fmt.Errorf("%s %s: %w", filepath.Base(c.path), args[0], err)
}

// SPDX-License-Identifier: MPL-2.0

// Command demo applies the example configuration with a real CLI to a
// simulated Tower. It shows the addresses of the VMs, how long the wait for each
// VM took and what made the VM ready.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// options are the flags of the command line.
type options struct {
	cli    string  // terraform or tofu
	bin    string  // folder of the provider's and the simulator's binaries
	config string  // folder of the configuration and the simulator's scenario
	speed  float64 // how many times faster than real time the simulator runs
	keep   bool    // leave the VMs, the simulator and the files
}

func main() {
	os.Exit(start())
}

// start reads the command line, runs the demo and returns its exit status.
func start() int {
	var opts options
	flag.StringVar(&opts.cli, "cli", "terraform", "`path` of terraform or tofu")
	flag.StringVar(&opts.bin, "bin", "bin", "`folder` of terraform-provider-elf and towersim")
	flag.StringVar(&opts.config, "config", "examples/demo", "`folder` of the configuration to apply and of towersim.yaml")
	flag.Float64Var(&opts.speed, "speed", 20, "how many times faster than real time the simulator runs")
	flag.BoolVar(&opts.keep, "keep", false, "leave the VMs and the simulator when done")
	flag.Parse()

	// A closed pipe (`make demo | head`) ends the demo as Ctrl-C does, which stops the simulator.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	defer stop()

	err := run(ctx, opts, os.Stdout, os.Stderr)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "demo: interrupted; everything it started is stopped")
		return 130
	default:
		fmt.Fprintln(os.Stderr, "demo:", err)
		return 1
	}
}

// run runs the whole demo. It stops everything that it has started before it
// returns, unless the demo succeeded and is to be kept.
func run(ctx context.Context, opts options, stdout, stderr io.Writer) (err error) {
	ws, err := newWorkspace(opts.config, opts.bin)
	if err != nil {
		return err
	}
	kept := false
	defer func() {
		if !kept {
			err = errors.Join(err, ws.remove())
		}
	}()

	sim, err := startSimulator(ctx, ws, opts.speed)
	if err != nil {
		return err
	}
	defer func() {
		if !kept {
			err = errors.Join(err, sim.stop())
		}
	}()

	env := slices.Concat(environ(os.Environ()), sim.env, ws.env())
	tf := cli{path: opts.cli, dir: ws.dir, env: env, stdout: stdout, stderr: stderr, color: isTerminal(stdout)}
	if err := tf.run(ctx, "apply", "-auto-approve", "-input=false"); err != nil {
		return err
	}
	raw, err := tf.output(ctx, "output", "-json")
	if err != nil {
		return err
	}
	lines, err := report(raw)
	if err != nil {
		return err
	}

	if opts.keep {
		kept = true
		printNextSteps(stdout, opts.cli, ws, sim)
	} else if err := destroy(ctx, tf); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "\n%s\n", strings.Join(lines, "\n"))
	return err
}

// destroy destroys what apply created. Its plan would only repeat what apply has
// shown, so destroy prints nothing but the result.
func destroy(ctx context.Context, tf cli) error {
	out, err := tf.output(ctx, "destroy", "-auto-approve", "-input=false")
	if err != nil {
		_, writeErr := tf.stdout.Write(out)
		return errors.Join(err, writeErr)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "Destroy complete!") {
			_, err = fmt.Fprintf(tf.stdout, "\n%s", line)
		}
	}
	return err
}

// printNextSteps prints how to work with a demo that is kept, and how to stop it.
func printNextSteps(w io.Writer, cli string, ws *workspace, sim *simulator) {
	fmt.Fprintf(w, "\nThe VMs and the simulated Tower are kept. To continue, in a shell:\n\n  cd %s\n", ws.dir)
	for _, pair := range slices.Concat(sim.env, ws.env()) {
		fmt.Fprintf(w, "  export %s\n", pair)
	}
	fmt.Fprintf(w, "  %s plan\n\nTo stop the simulator and remove its files:\n\n  kill %d; rm -r %s\n", cli, sim.cmd.Process.Pid, ws.dir)
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

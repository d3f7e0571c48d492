// SPDX-License-Identifier: MPL-2.0

// Command towersim runs a simulated SmartX CloudTower. See towersim --help.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// The exit codes. exitUsage means that the command line or the scenario is
// wrong.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)

	stop()
	os.Exit(code)
}

// run serves until ctx ends, and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	options, code, ok := parse(args, stdout, stderr)
	if !ok {
		return code
	}

	options.Log = slog.New(slog.NewTextHandler(stderr, nil))

	server, err := towersim.New(options) //nolint:contextcheck // the server ends with Close
	if err != nil {
		var invalid *towersim.ScenarioError
		if errors.As(err, &invalid) {
			fmt.Fprintf(stderr, "towersim: the scenario is not valid: %s\n", invalid)

			return exitUsage
		}

		fmt.Fprintln(stderr, err)

		return exitError
	}

	cleanUp, err := printExports(stdout, server)
	if err != nil {
		fmt.Fprintf(stderr, "towersim: %s\n", err)
		_ = server.Close()

		return exitError
	}

	options.Log.Info("listening", "url", server.URL())
	<-ctx.Done()
	cleanUp()

	if err := server.Close(); err != nil {
		fmt.Fprintf(stderr, "towersim: %s\n", err)

		return exitError
	}

	return exitOK
}

// parse parses the command line. It returns false and an exit code if there is
// nothing to run.
func parse(args []string, stdout, stderr io.Writer) (towersim.Options, int, bool) {
	flags := flag.NewFlagSet("towersim", flag.ContinueOnError)
	flags.SetOutput(io.Discard)

	listen := flags.String("listen", "127.0.0.1:0", "")
	scenario := flags.String("scenario", "", "")
	speed := flags.Float64("speed", 1, "")
	useTLS := flags.Bool("tls", false, "")
	task := flags.String("task", "", "")

	options := towersim.Options{Seed: uint64(time.Now().UnixNano())}

	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)

		return options, exitOK, false
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case err == nil && !(*speed > 0 && *speed <= towersim.MaxSpeed): // also refuses NaN
		err = fmt.Errorf("--speed must be more than 0 and at most %d, not %v", towersim.MaxSpeed, *speed)
	}

	if err == nil && *task != "" {
		var duration time.Duration

		duration, err = time.ParseDuration(*task)
		if err != nil || duration < 0 {
			err = fmt.Errorf("--task must be a duration such as 2s, not %q", *task)
		}

		options.Task = &duration
	}

	if err == nil && *scenario != "" {
		options.YAML, err = os.ReadFile(*scenario)
	}

	if err != nil {
		fmt.Fprintf(stderr, "towersim: %s\nRun towersim --help for the options.\n", err)

		return options, exitUsage, false
	}

	options.Listen, options.Speed, options.TLS = *listen, *speed, *useTLS

	return options, exitOK, true
}

// printExports prints the lines for eval. The certificate is written to a file,
// so that each variable is on one line; cleanUp removes the file.
func printExports(stdout io.Writer, server *towersim.Server) (cleanUp func(), err error) {
	cleanUp = func() {}

	for _, variable := range server.Env() {
		name, value, _ := strings.Cut(variable, "=")

		if name == "ELF_CA_CERTIFICATE" {
			value, err = writeCertificate(value)
			if err != nil {
				return cleanUp, err
			}

			path := value
			cleanUp = func() { _ = os.Remove(path) }
		}

		if _, err := fmt.Fprintf(stdout, "export %s=%s\n", name, quoted(value)); err != nil {
			return cleanUp, fmt.Errorf("cannot print the variables: %w", err)
		}
	}

	return cleanUp, nil
}

func writeCertificate(pem string) (path string, err error) {
	file, err := os.CreateTemp("", "towersim-*.pem")
	if err != nil {
		return "", fmt.Errorf("cannot write the certificate: %w", err)
	}

	if _, err := file.WriteString(pem); err != nil {
		return "", errors.Join(fmt.Errorf("cannot write the certificate: %w", err), file.Close())
	}

	if err := file.Close(); err != nil {
		return "", fmt.Errorf("cannot write the certificate: %w", err)
	}

	return file.Name(), nil
}

// quoted quotes a value for the shell, if necessary.
func quoted(value string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@%+,=", r)
	}

	if value != "" && strings.IndexFunc(value, func(r rune) bool { return !plain(r) }) < 0 {
		return value
	}

	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

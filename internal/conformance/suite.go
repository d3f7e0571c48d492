// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest/openapicheck"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// suiteTimeout stops a suite that waits in vain: after a poll without success
// it waits for five minutes.
const suiteTimeout = 4 * time.Minute

// tower is the simulated Tower for a suite, with a server in front that records
// the answers.
type tower struct {
	server *towersim.Server
	front  *http.Server
	served chan error
	host   string // host:port

	mu       sync.Mutex
	answered map[string]int // by operation, with status 200
	failed   map[string]int // by operation and 5xx status
}

func startTower(ctx context.Context, check *openapicheck.Checker) (*tower, error) {
	server, err := towersim.New(towersim.Options{YAML: []byte(scenario)}) //nolint:contextcheck // the simulator is closed, not cancelled
	if err != nil {
		return nil, fmt.Errorf("start the simulator: %w", err)
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen: %w", err), server.Close())
	}
	t := &tower{
		server: server, host: listener.Addr().String(), served: make(chan error, 1),
		answered: map[string]int{}, failed: map[string]int{},
	}
	handler := server.Handler()
	if check != nil {
		handler = check.Middleware(handler)
	}
	t.front = &http.Server{Handler: t.recordAnswers(handler), ReadHeaderTimeout: time.Minute}
	go func() { t.served <- t.front.Serve(listener) }()
	return t, nil
}

func (t *tower) close() error {
	err := t.front.Close()
	if serveErr := <-t.served; !errors.Is(serveErr, http.ErrServerClosed) {
		err = errors.Join(err, serveErr)
	}
	return errors.Join(err, t.server.Close())
}

// recordAnswers passes requests on and counts the answers.
func (t *tower) recordAnswers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		noted := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(noted, r)
		operation := strings.TrimPrefix(r.URL.Path, openapicheck.BasePath+"/")

		t.mu.Lock()
		defer t.mu.Unlock()
		switch {
		case noted.status == http.StatusOK:
			t.answered[operation]++
		case noted.status >= http.StatusInternalServerError:
			t.failed[fmt.Sprintf("%s answered %d", operation, noted.status)]++
		}
	})
}

type statusWriter struct {
	http.ResponseWriter

	status int
}

// WriteHeader implements [http.ResponseWriter].
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// runSuite runs the suite's test binary at path. It prints each spec that has
// not simply passed.
func runSuite(ctx context.Context, path string, out io.Writer) (err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("find the test binary: %w", err)
	}
	check, err := loadDocument(out)
	if err != nil {
		return err
	}
	t, err := startTower(ctx, check)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()

	work, err := os.MkdirTemp("", "conformance-*")
	if err != nil {
		return fmt.Errorf("create a directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()

	started := time.Now()
	report := filepath.Join(work, "report.json")
	output, runErr := t.runBinary(ctx, path, "-ginkgo.skip="+brokenFocus, "-ginkgo.json-report="+report)
	specs, err := readReport(report)
	if err != nil {
		// Without a report the process has died; its output says why.
		return errors.Join(runErr, err, errors.New(tail(output)))
	}
	problems := []error{}
	v := checkSpecs(specs)
	v.print(out, time.Since(started))
	problems = append(problems, v.problems...)
	if runErr != nil && len(v.problems) == 0 {
		problems = append(problems, fmt.Errorf("all specs passed, but the suite failed: %w\n%s", runErr, tail(output)))
	}
	problems = append(problems, t.runBroken(ctx, path, out), t.failures())
	if check != nil {
		problems = append(problems, reportDocument(check, out))
	}
	return errors.Join(problems...)
}

// loadDocument loads the OpenAPI document, if there is one.
func loadDocument(out io.Writer) (*openapicheck.Checker, error) {
	path := os.Getenv(openapicheck.EnvDocument)
	if path == "" {
		fmt.Fprintf(out, "OpenAPI: not compared, since %s does not name the vendor's document\n", openapicheck.EnvDocument)
		return nil, nil //nolint:nilnil // no document is no failure, and the caller knows nil
	}
	return openapicheck.New(path)
}

// runBinary runs the test binary against the simulator and returns its output.
func (t *tower) runBinary(ctx context.Context, path string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, suiteTimeout)
	defer cancel()

	cmd := exec.CommandContext(ctx, path, append([]string{"-test.v", "-ginkgo.v", "-ginkgo.no-color", "-ginkgo.seed=1"}, args...)...)
	cmd.Dir = filepath.Dir(path)
	cmd.Env = append(os.Environ(),
		"CLOUDTOWER_SDK_ENDPOINT="+t.host, "CLOUDTOWER_SDK_USERNAME="+t.server.Username(),
		"CLOUDTOWER_SDK_PASSWORD="+t.server.Password(), "CLOUDTOWER_SDK_USERSOURCE=LOCAL")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("it was stopped: %w", ctx.Err())
	}
	return output.Bytes(), err
}

// runBroken runs the spec that ends its own process.
func (t *tower) runBroken(ctx context.Context, path string, out io.Writer) error {
	output, err := t.runBinary(ctx, path, "-ginkgo.focus="+brokenFocus)
	if err != nil && !bytes.Contains(output, []byte(brokenTrace)) {
		return fmt.Errorf("%s: %w\n%s", brokenSpec, err, tail(output))
	}
	t.mu.Lock()
	answered := t.answered[brokenOperation]
	t.mu.Unlock()
	if answered == 0 {
		return fmt.Errorf("%s: the simulator did not answer %s\n%s", brokenSpec, brokenOperation, tail(output))
	}
	end := "it passed"
	if err != nil {
		end = "the process ended as expected"
	}
	fmt.Fprintf(out, "  alone    %s: %s was answered, %s (%s)\n", brokenSpec, brokenOperation, end, brokenReason)
	return nil
}

// failures returns the requests that the simulator has answered with an
// internal error. Specs may overlook such errors, especially while they clean
// up.
func (t *tower) failures() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var problems []error
	for _, what := range slices.Sorted(maps.Keys(t.failed)) {
		problems = append(problems, fmt.Errorf("the simulator failed: %s, %d times", what, t.failed[what]))
	}
	return errors.Join(problems...)
}

// tail returns the end of a long text.
func tail(output []byte) string {
	const enough = 6000
	if len(output) > enough {
		return "… " + string(output[len(output)-enough:])
	}
	return string(output)
}

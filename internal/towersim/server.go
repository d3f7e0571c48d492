// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// MaxSpeed is the highest speed. At more, the simulated time would overflow
// within a day.
const MaxSpeed = 100_000

// Options says what to simulate and where to listen. The zero value is the
// default scenario in real time on a free port of the loopback interface.
type Options struct {
	// Scenario is the scenario to simulate. If it is nil, YAML is read.
	Scenario *Scenario
	// YAML is a scenario in YAML or JSON. If it is empty, the default scenario
	// is used.
	YAML []byte
	// Speed says how many times faster than real time the simulation runs, at
	// most [MaxSpeed]. 0 means 1.
	Speed float64
	// ManualClock stops the simulated time. Only [Server.Advance] moves it.
	ManualClock bool
	// Task replaces the duration of tasks in the scenario, unless it is nil. If
	// it is 0, every task is done at its first poll.
	Task *time.Duration
	// Listen is the address to listen on. "" means 127.0.0.1:0.
	Listen string
	// TLS serves https with a certificate that the server makes itself.
	TLS bool
	// Seed is the seed of all ids. Equal seeds give equal ids.
	Seed uint64
	// Log receives a line for each request. Nil means no log.
	Log *slog.Logger
}

// Server is a running simulated Tower. Its methods are safe for concurrent use.
type Server struct {
	options Options
	clock   *clock
	log     *slog.Logger
	http    *http.Server
	tls     *certificate
	url     string
	done    chan struct{}
	served  chan error
	once    sync.Once

	kubeOnce sync.Once
	kube     *kubeServer
	kubeErr  error

	mu       sync.Mutex // guards the world and all fields below
	ids      *idSource
	world    *world
	sessions map[string]string // user names by token
	apiKeys  map[string]*apiKey
}

// New starts a server. An invalid scenario gives a [*ScenarioError].
func New(options Options) (*Server, error) {
	if options.Speed == 0 {
		options.Speed = 1
	}

	// This refuses NaN too.
	if !(options.Speed > 0 && options.Speed <= MaxSpeed) {
		return nil, fmt.Errorf("towersim: the speed is %v, but must be more than 0 and at most %v", options.Speed, float64(MaxSpeed))
	}

	scenario, err := options.scenario()
	if err != nil {
		return nil, fmt.Errorf("towersim: %w", err)
	}

	s := &Server{
		options:  options,
		clock:    newClock(time.Now(), options.Speed, options.ManualClock),
		log:      options.Log,
		done:     make(chan struct{}),
		served:   make(chan error, 1),
		ids:      newIDSource(options.Seed),
		sessions: map[string]string{},
		apiKeys:  map[string]*apiKey{},
	}

	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}

	s.world = newWorld(scenario, s.clock, s.ids, s.sessions)

	if err := s.listen(); err != nil {
		return nil, fmt.Errorf("towersim: %w", err)
	}

	return s, nil
}

// scenario returns a complete scenario that the caller of New does not share.
func (o *Options) scenario() (*Scenario, error) {
	var (
		scenario *Scenario
		err      error
	)

	if o.Scenario != nil {
		scenario = o.Scenario.clone()
		err = scenario.complete()
	} else {
		scenario, err = ParseScenario(o.YAML)
	}

	if err != nil {
		return nil, err
	}

	if o.Task != nil {
		scenario.Timing.Task = max(*o.Task, 0)
	}

	return scenario, nil
}

func (s *Server) listen() error {
	address := s.options.Listen
	if address == "" {
		address = "127.0.0.1:0"
	}

	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}

	s.url = "http://" + reachable(listener.Addr())

	if s.options.TLS {
		s.tls, err = newCertificate(listener.Addr())
		if err != nil {
			return errors.Join(err, listener.Close())
		}

		s.url = "https://" + reachable(listener.Addr())
		listener = tls.NewListener(listener, s.tls.config())
	}

	s.http = &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 30 * time.Second}

	go func() { s.served <- s.http.Serve(listener) }()

	return nil
}

// reachable returns the host and port by which a client on this machine reaches
// the server.
func reachable(address net.Addr) string {
	tcp, ok := address.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", tcp.Port)
	}

	return address.String()
}

// Close stops the server and closes its connections, also those of requests
// that hang because of a fault.
func (s *Server) Close() error {
	var err error

	s.once.Do(func() {
		close(s.done)

		err = s.http.Close()
		if serveErr := <-s.served; !errors.Is(serveErr, http.ErrServerClosed) {
			err = errors.Join(err, serveErr)
		}

		err = errors.Join(err, s.stopKubernetes())
	})

	return err
}

// URL returns the server's URL without a path, such as http://127.0.0.1:40123.
func (s *Server) URL() string { return s.url }

// CACertificate returns the certificate of the authority that signed the
// server's certificate, in PEM; "" without TLS.
func (s *Server) CACertificate() string {
	if s.tls == nil {
		return ""
	}

	return s.tls.pem
}

// Username returns the name of the scenario's first user.
func (s *Server) Username() string { return s.firstUser().Username }

// Password returns the password of the scenario's first user.
func (s *Server) Password() string { return s.firstUser().Password }

func (s *Server) firstUser() UserSpec {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.world.scenario.Inventory.Users[0]
}

// Env returns the environment variables that point a client at this server, as
// NAME=value: ELF_SERVER, ELF_USERNAME and ELF_PASSWORD; with TLS also
// ELF_CA_CERTIFICATE, and ELF_USER_SOURCE if the first user is not a local
// user.
func (s *Server) Env() []string {
	user := s.firstUser()
	env := []string{"ELF_SERVER=" + s.URL(), "ELF_USERNAME=" + user.Username, "ELF_PASSWORD=" + user.Password}

	if user.Source != "LOCAL" {
		env = append(env, "ELF_USER_SOURCE="+user.Source)
	}

	if s.tls != nil {
		env = append(env, "ELF_CA_CERTIFICATE="+s.tls.pem)
	}

	return env
}

// Now returns the simulated time.
func (s *Server) Now() time.Time { return s.clock.now() }

// Advance moves the simulated time of a server with a manual clock. Other
// servers ignore it.
func (s *Server) Advance(d time.Duration) {
	if s.options.ManualClock && d > 0 {
		s.clock.advance(d)
	}
}

// withWorld runs f under the server's lock, after all events that are due.
func (s *Server) withWorld(f func(w *world)) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.world.runDue(s.clock.now())
	f(s.world)
	s.world.endStep()
}

// untilClosed returns a context that also ends when the server closes.
func (s *Server) untilClosed(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := make(chan struct{})

	go func() {
		select {
		case <-s.done:
			cancel()
		case <-stop:
		}
	}()

	return ctx, func() {
		close(stop)
		cancel()
	}
}

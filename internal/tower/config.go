// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"time"
)

// LogLevel is the weight of a log line.
type LogLevel int

// The levels of log lines.
const (
	LogTrace LogLevel = iota // one line for each request
	LogDebug                 // progress of tasks
	LogInfo                  // log-ins
	LogWarn                  // retries, calls whose outcome is not known
)

// The ways in which a user is known to Tower.
const (
	SourceLocal = "LOCAL"
	SourceLDAP  = "LDAP"
	SourceAuthN = "AUTHN"
	SourceSSO   = "SSO"
)

// Config says which Tower to talk to, as whom, and how.
type Config struct {
	Server       string // host, host:port or URL; https unless the URL says http
	Username     string
	Password     string
	UserSource   string // LOCAL (also when empty), LDAP, AUTHN or SSO
	AuthConfigID string // the id of the directory; makes the look-up for LDAP unnecessary
	APIToken     string // in place of username and password

	CACertificate string // PEM text or the path of a file; trusted besides the system's roots
	Insecure      bool   // accept any server certificate

	RequestTimeout        time.Duration // of one HTTP request; 0 = 30 s
	MaxRetries            int           // repeats of a request that failed for a passing reason; 0 = none
	MaxConcurrentRequests int           // 0 = 8
	PollInterval          time.Duration // between looks at waiting VMs; 0 = 5 s

	Headers   map[string]string // extra headers of every request
	UserAgent string

	// Log receives what the client does: methods, paths, statuses, durations and ids, never bodies, headers or
	// credentials. Nil: silent. It is called from several goroutines.
	Log func(ctx context.Context, level LogLevel, msg string, fields map[string]any)
}

// ConfigError is a setting that cannot be used.
type ConfigError struct {
	Field   string // the setting, by its name in the provider's configuration: "server", "ca_certificate", …
	Message string // what is wrong and what would be right
	Err     error  // the cause, may be nil
}

// Error names the setting and what is wrong with it.
func (e *ConfigError) Error() string {
	if e.Err != nil {
		return e.Field + ": " + e.Message + ": " + e.Err.Error()
	}
	return e.Field + ": " + e.Message
}

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

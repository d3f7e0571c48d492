// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/go-openapi/runtime"
	httptransport "github.com/go-openapi/runtime/client"
	"github.com/go-openapi/strfmt"
	"golang.org/x/sync/singleflight"

	"github.com/smartxworks/terraform-provider-elf/internal/poll"
)

const (
	apiPath = "/v2/api"

	defaultRequestTimeout = 30 * time.Second
	defaultConcurrency    = 8
	defaultPollInterval   = 5 * time.Second
	defaultUserAgent      = "terraform-provider-elf"

	// maxCreates is how many creates Tower is given at a time; more make it fail some of them.
	maxCreates = 20
	// maxTaskInterval keeps tasks, which take seconds, from being noticed late.
	maxTaskInterval = 2 * time.Second
	// readChunk and watchChunk are how many objects one request asks for.
	readChunk  = 100
	watchChunk = 1000
)

// tuning holds the times that tests shorten.
type tuning struct {
	window   time.Duration // how long a read waits for others to share its request
	gather   time.Duration // the same for the first look of a wait
	retryMin time.Duration
	retryMax time.Duration
}

func defaultTuning() tuning {
	return tuning{window: 100 * time.Millisecond, gather: 50 * time.Millisecond, retryMin: 500 * time.Millisecond, retryMax: 15 * time.Second}
}

// Client talks to one Tower as one user. It is safe for concurrent use.
type Client struct {
	cfg          Config
	tune         tuning
	base         *url.URL
	http         *http.Client
	transport    runtime.ClientTransport // http, as the generated packages take it
	attempts     *attempts
	taskInterval time.Duration

	session session
	flight  singleflight.Group
	creates chan struct{}
	locks   keyedMutex

	vms              *objects[VM]
	namedVMs         *lists[VM] // by pairs of cluster and name
	nics             *lists[VMNIC]
	nicsByAddress    *lists[VMNIC] // by pairs of VM network and address
	disks            *lists[VMDisk]
	volumeDisks      *lists[VMDisk] // those that are a volume
	volumes          *objects[VMVolume]
	clusters         *objects[Cluster]
	vlans            *objects[VLAN]
	clusterVLANs     *poll.Batcher[bool] // whether a VM network is one of a cluster, by pairs of cluster and network
	hosts            *objects[Host]
	clusterHosts     *lists[Host]
	folders          *objects[VMFolder]
	groups           *objects[PlacementGroup]
	libraryTemplates *objects[ContentLibraryVMTemplate]
	templates        *objects[VMTemplate]
	snapshots        *objects[VMSnapshot]
	vmSnapshots      *lists[VMSnapshot]
	images           *objects[ELFImage]
	isoImages        *lists[ELFImage] // by an id of their own, or by that of the content library image that they are copies of
	libraryImages    *objects[libraryImage]
	gpus             *objects[GPUDevice]
	vmGPUs           *poll.Batcher[[]VMGPU] // by the id of their VM
	labels           *objects[Label]
	tasks            *objects[taskState]

	relabels *poll.Batcher[error]  // changes of labels, and what became of them
	regroups *poll.Batcher[error]  // the same of memberships in placement groups
	watches  *poll.Poller[watched] // VMs that are watched for their addresses
}

// New checks the configuration and returns a client. It does no I/O besides reading the certificate file, and logs in
// when Login or the first other method is called. The error is a *ConfigError that names the setting at fault.
func New(cfg Config) (*Client, error) { return newClient(cfg, defaultTuning()) }

func newClient(cfg Config, tune tuning) (*Client, error) {
	base, err := ParseServer(cfg.Server)
	if err != nil {
		return nil, err
	}
	if err := complete(&cfg); err != nil {
		return nil, err
	}
	transport, err := newBase(cfg)
	if err != nil {
		return nil, err
	}
	c := &Client{
		cfg: cfg, tune: tune, base: base, creates: make(chan struct{}, maxCreates), taskInterval: min(cfg.PollInterval, maxTaskInterval),
	}
	if cfg.APIToken != "" {
		c.session.set(cfg.APIToken)
	}
	c.attempts = &attempts{
		base: transport, places: make(chan struct{}, cfg.MaxConcurrentRequests), timeout: cfg.RequestTimeout,
		headers: cfg.Headers, userAgent: cfg.UserAgent, authorize: c.session.token, log: c.log,
	}
	c.http = newHTTPClient(c.attempts, cfg.MaxRetries, tune)
	c.connect()
	return c, nil
}

// complete checks the settings besides the server, and fills in what has a default.
func complete(cfg *Config) error {
	switch {
	case cfg.APIToken == "" && cfg.Username == "":
		return &ConfigError{Field: "username", Message: "neither a username with its password nor an API token is configured"}
	case cfg.APIToken == "" && cfg.Password == "":
		return &ConfigError{Field: "password", Message: "the password is missing"}
	case cfg.APIToken != "" && (cfg.Username != "" || cfg.Password != ""):
		return &ConfigError{Field: "api_token", Message: "an API token takes the place of username and password; configure one of the two"}
	case cfg.RequestTimeout < 0:
		return &ConfigError{Field: "request_timeout", Message: "a negative time makes no sense"}
	case cfg.PollInterval < 0:
		return &ConfigError{Field: "poll_interval", Message: "a negative time makes no sense"}
	case cfg.MaxRetries < 0:
		return &ConfigError{Field: "max_retries", Message: "a negative number makes no sense"}
	case cfg.MaxConcurrentRequests < 0:
		return &ConfigError{Field: "max_concurrent_requests", Message: "a negative number makes no sense"}
	}
	switch cfg.UserSource {
	case "":
		cfg.UserSource = SourceLocal
		if cfg.AuthConfigID != "" {
			cfg.UserSource = SourceAuthN
		}
	case SourceLocal, SourceLDAP, SourceAuthN, SourceSSO:
	default:
		return &ConfigError{Field: "user_source", Message: fmt.Sprintf("%q is none of LOCAL, LDAP, AUTHN, SSO", cfg.UserSource)}
	}
	if cfg.RequestTimeout == 0 {
		cfg.RequestTimeout = defaultRequestTimeout
	}
	if cfg.PollInterval == 0 {
		cfg.PollInterval = defaultPollInterval
	}
	if cfg.MaxConcurrentRequests == 0 {
		cfg.MaxConcurrentRequests = defaultConcurrency
	}
	if cfg.UserAgent == "" {
		cfg.UserAgent = defaultUserAgent
	}
	return checkHeaders(cfg.Headers)
}

// sdk returns what the clients of the generated packages are made of.
func (c *Client) sdk() (runtime.ClientTransport, strfmt.Registry) { return c.transport, strfmt.Default }

// batching is how reads of single objects are merged.
func (c *Client) batching() poll.BatchOptions {
	return poll.BatchOptions{Window: c.tune.window, ChunkSize: readChunk}
}

// connect builds what reads each kind of objects.
func (c *Client) connect() {
	transport := httptransport.NewWithClient(c.base.Host, apiPath, []string{c.base.Scheme}, c.http)
	// The generated client would otherwise print whole requests, credentials included, when DEBUG is in the environment.
	transport.Debug = false
	c.transport = transport
	c.vms = newVMs(c)
	c.namedVMs = newNamedVMs(c.vms)
	c.nics, c.nicsByAddress = newNICs(c)
	c.disks, c.volumeDisks = newDisks(c)
	c.volumes = newVMVolumes(c)
	c.clusters = newClusters(c)
	c.vlans = newVLANs(c)
	c.clusterVLANs = poll.NewBatcher(c.fetchClusterVLANs, c.batching())
	c.hosts = newHosts(c)
	c.clusterHosts = newClusterHosts(c.hosts)
	c.folders = newVMFolders(c)
	c.groups = newPlacementGroups(c)
	c.libraryTemplates = newContentLibraryVMTemplates(c)
	c.templates = newVMTemplates(c)
	c.snapshots = newVMSnapshots(c)
	c.vmSnapshots = c.snapshots.listedBy("VM", ownedBy("vm"), func(v VMSnapshot) []string { return []string{v.VMID} }, byName)
	c.images = newELFImages(c)
	c.isoImages = newISOImages(c.images)
	c.libraryImages = newLibraryImages(c)
	c.gpus = newGPUDevices(c)
	c.vmGPUs = poll.NewBatcher(c.fetchVMGPUs, c.batching())
	c.labels = newLabels(c)
	c.tasks = newTasks(c)
	c.relabels = poll.NewBatcher(c.relabel, c.batching())
	c.regroups = poll.NewBatcher(c.regroup, c.batching())
	c.watches = poll.New(c.fetchWatched, poll.Options{
		Interval: c.cfg.PollInterval, Jitter: watchJitter(c.cfg.PollInterval), ChunkSize: watchChunk, Gather: c.tune.gather,
	})
}

// watchJitter is the share of the poll interval that is added at random: it keeps many processes from asking in step,
// and adds next to nothing to how late a wait ends, however long the interval.
func watchJitter(interval time.Duration) float64 {
	const share, most = 0.05, 100 * time.Millisecond
	return min(share, float64(most)/float64(interval))
}

// Server returns the scheme and host of the Tower.
func (c *Client) Server() string { return c.base.String() }

// log hands a line to the configured log.
func (c *Client) log(ctx context.Context, level LogLevel, msg string, fields map[string]any) {
	if c.cfg.Log != nil {
		c.cfg.Log(ctx, level, msg, fields)
	}
}

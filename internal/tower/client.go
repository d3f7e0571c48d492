// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	httptransport "github.com/go-openapi/runtime/client"
	"github.com/go-openapi/strfmt"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/api_info"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/cluster"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/cluster_settings"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/content_library_image"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/content_library_vm_template"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/elf_image"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/global_settings"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/gpu_device"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/host"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/label"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/task"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/user"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vlan"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_disk"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_folder"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_nic"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_placement_group"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_snapshot"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_template"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_volume"
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
	base         *url.URL
	http         *http.Client
	attempts     *attempts
	taskInterval time.Duration

	session session
	flight  singleflight.Group
	creates chan struct{}
	locks   keyedMutex

	api struct {
		info      api_info.ClientService
		users     user.ClientService
		vms       vm.ClientService
		nics      vm_nic.ClientService
		disks     vm_disk.ClientService
		volumes   vm_volume.ClientService
		tasks     task.ClientService
		clusters  cluster.ClientService
		vlans     vlan.ClientService
		templates content_library_vm_template.ClientService
		hosts     host.ClientService
		folders   vm_folder.ClientService
		labels    label.ClientService
		groups    vm_placement_group.ClientService

		vmTemplates vm_template.ClientService
		snapshots   vm_snapshot.ClientService

		images        elf_image.ClientService
		libraryImages content_library_image.ClientService
		gpus          gpu_device.ClientService

		clusterSettings cluster_settings.ClientService
		globalSettings  global_settings.ClientService
	}
	reads struct {
		vms       *poll.Batcher[VM]
		names     *poll.Batcher[[]VM]
		nics      *poll.Batcher[[]VMNIC]
		disks     *poll.Batcher[[]VMDisk] // by the id of their VM
		attached  *poll.Batcher[[]VMDisk] // by the id of their volume
		volumes   *poll.Batcher[VMVolume]
		clusters  *poll.Batcher[Cluster]
		vlans     *poll.Batcher[VLAN]
		templates *poll.Batcher[ContentLibraryVMTemplate]
		hosts     *poll.Batcher[Host]
		folders   *poll.Batcher[Folder]
		groups    *poll.Batcher[PlacementGroup]

		vmTemplates *poll.Batcher[VMTemplate]
		snapshots   *poll.Batcher[VMSnapshot]

		images        *poll.Batcher[[]ELFImage] // by their own ids, or by those of content library images
		libraryImages *poll.Batcher[string]     // their names
		here          *poll.Batcher[bool]       // whether a VM network is one of a cluster
		clusterHosts  *poll.Batcher[[]Host]     // by the id of their cluster
		gpus          *poll.Batcher[GPUDevice]
		vmGPUs        *poll.Batcher[[]VMGPU] // by the id of their VM
	}
	labelling *poll.Batcher[error] // changes of labels, and what became of them
	grouping  *poll.Batcher[error] // the same of memberships in placement groups

	tasks   *poll.Poller[taskState] // tasks that someone waits for
	states  *poll.Poller[VM]        // VMs that are to become idle, or to go
	watches *poll.Poller[watched]   // VMs that are watched for their addresses
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
		cfg: cfg, base: base, creates: make(chan struct{}, maxCreates), taskInterval: min(cfg.PollInterval, maxTaskInterval),
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
	c.share(tune)
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

// connect builds the generated clients on the HTTP client.
func (c *Client) connect() {
	runtime := httptransport.NewWithClient(c.base.Host, apiPath, []string{c.base.Scheme}, c.http)
	// The generated client would otherwise print whole requests, credentials included, when DEBUG is in the environment.
	runtime.Debug = false
	formats := strfmt.Default
	c.api.info = api_info.New(runtime, formats)
	c.api.users = user.New(runtime, formats)
	c.api.vms = vm.New(runtime, formats)
	c.api.nics = vm_nic.New(runtime, formats)
	c.api.disks = vm_disk.New(runtime, formats)
	c.api.volumes = vm_volume.New(runtime, formats)
	c.api.tasks = task.New(runtime, formats)
	c.api.clusters = cluster.New(runtime, formats)
	c.api.vlans = vlan.New(runtime, formats)
	c.api.templates = content_library_vm_template.New(runtime, formats)
	c.api.hosts = host.New(runtime, formats)
	c.api.folders = vm_folder.New(runtime, formats)
	c.api.labels = label.New(runtime, formats)
	c.api.groups = vm_placement_group.New(runtime, formats)
	c.api.vmTemplates = vm_template.New(runtime, formats)
	c.api.snapshots = vm_snapshot.New(runtime, formats)
	c.api.images = elf_image.New(runtime, formats)
	c.api.libraryImages = content_library_image.New(runtime, formats)
	c.api.gpus = gpu_device.New(runtime, formats)
	c.api.clusterSettings = cluster_settings.New(runtime, formats)
	c.api.globalSettings = global_settings.New(runtime, formats)
}

// share builds what merges the reads of many callers.
func (c *Client) share(tune tuning) {
	batch := poll.BatchOptions{Window: tune.window, ChunkSize: readChunk}
	c.reads.vms = poll.NewBatcher(c.fetchVMs, batch)
	c.reads.names = poll.NewBatcher(c.fetchVMsByName, batch)
	c.reads.nics = poll.NewBatcher(c.fetchNICs, batch)
	c.reads.disks = poll.NewBatcher(c.fetchDisks, batch)
	c.reads.attached = poll.NewBatcher(c.fetchAttached, batch)
	c.reads.volumes = poll.NewBatcher(c.fetchVolumes, batch)
	c.reads.clusters = poll.NewBatcher(c.fetchClusters, batch)
	c.reads.vlans = poll.NewBatcher(c.fetchVLANs, batch)
	c.reads.templates = poll.NewBatcher(c.fetchTemplates, batch)
	c.reads.hosts = poll.NewBatcher(c.fetchHosts, batch)
	c.reads.folders = poll.NewBatcher(c.fetchFolders, batch)
	c.reads.groups = poll.NewBatcher(c.fetchGroups, batch)
	c.labelling = poll.NewBatcher(c.relabel, batch)
	c.grouping = poll.NewBatcher(c.regroup, batch)
	c.reads.vmTemplates = poll.NewBatcher(c.fetchVMTemplates, batch)
	c.reads.snapshots = poll.NewBatcher(c.fetchVMSnapshots, batch)
	c.reads.images = poll.NewBatcher(c.fetchImages, batch)
	c.reads.libraryImages = poll.NewBatcher(c.fetchLibraryImages, batch)
	c.reads.here = poll.NewBatcher(c.fetchHere, batch)
	c.reads.clusterHosts = poll.NewBatcher(c.fetchClusterHosts, batch)
	c.reads.gpus = poll.NewBatcher(c.fetchGPUs, batch)
	c.reads.vmGPUs = poll.NewBatcher(c.fetchVMGPUs, batch)
	quick := poll.Options{Interval: c.taskInterval, ChunkSize: watchChunk, Gather: tune.gather}
	c.tasks = poll.New(c.fetchTasks, quick)
	c.states = poll.New(c.fetchStates, quick)
	c.watches = poll.New(c.fetchWatched, poll.Options{
		Interval: c.cfg.PollInterval, Jitter: watchJitter(c.cfg.PollInterval), ChunkSize: watchChunk, Gather: tune.gather,
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

// readOne reads one object through its batcher.
func readOne[T any](ctx context.Context, b *poll.Batcher[T], op, what, id string) (*T, error) {
	if id == "" {
		return nil, notFound(op, what+" without an id")
	}
	value, found, err := b.Get(ctx, id)
	switch {
	case err != nil:
		return nil, asError(op, err)
	case !found:
		return nil, notFound(op, fmt.Sprintf("Tower has no %s with the id %q", what, id))
	}
	return &value, nil
}

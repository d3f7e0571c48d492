// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/provider"
)

// values are attributes of a provider block. Missing ones are null.
type values map[string]tftypes.Value

func text(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }

func texts(m map[string]string) tftypes.Value {
	elements := map[string]tftypes.Value{}
	for k, v := range m {
		elements[k] = text(v)
	}
	return tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, elements)
}

// with returns a copy of v with changes.
func (v values) with(changes values) values {
	out := values{}
	for _, m := range []values{v, changes} {
		for name, value := range m {
			out[name] = value
		}
	}
	return out
}

func serve() tfprotov6.ProviderServer {
	return providerserver.NewProtocol6(provider.New("1.2.3")())()
}

// dynamic encodes the values of a block for the protocol.
func dynamic(t *testing.T, schema *tfprotov6.Schema, v values) *tfprotov6.DynamicValue {
	t.Helper()
	object, ok := schema.ValueType().(tftypes.Object)
	if !ok {
		t.Fatalf("the schema is a %s", schema.ValueType())
	}
	all := map[string]tftypes.Value{}
	for name, typ := range object.AttributeTypes {
		all[name] = tftypes.NewValue(typ, nil)
		if value, ok := v[name]; ok {
			all[name] = value
		}
	}
	d, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, all))
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

func schemas(t *testing.T, server tfprotov6.ProviderServer) *tfprotov6.GetProviderSchemaResponse {
	t.Helper()
	resp, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(resp.Diagnostics) > 0 {
		t.Fatalf("schema: %s", resp.Diagnostics[0].Detail)
	}
	return resp
}

// configure validates and configures a provider and returns all diagnostics.
func configure(t *testing.T, server tfprotov6.ProviderServer, v values) []*tfprotov6.Diagnostic {
	t.Helper()
	config := dynamic(t, schemas(t, server).Provider, v)
	validated, err := server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	if len(validated.Diagnostics) > 0 {
		return validated.Diagnostics
	}
	configured, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.9.9", Config: config})
	if err != nil {
		t.Fatal(err)
	}
	return configured.Diagnostics
}

// wanted is an expected diagnostic.
type wanted struct {
	attribute string // "" for none
	summary   string
	detail    string // a pattern
}

func (w wanted) check(t *testing.T, d *tfprotov6.Diagnostic) {
	t.Helper()
	if d.Summary != w.summary {
		t.Errorf("summary %q, want %q", d.Summary, w.summary)
	}
	if !regexp.MustCompile(w.detail).MatchString(d.Detail) {
		t.Errorf("detail %q does not match %q", d.Detail, w.detail)
	}
	if got := strings.TrimPrefix(d.Attribute.String(), "AttributeName"); got != attributeStep(w.attribute) {
		t.Errorf("attribute %s, want %s", got, attributeStep(w.attribute))
	}
}

func attributeStep(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf("(%q)", name)
}

// split returns errors and warnings.
func split(diags []*tfprotov6.Diagnostic) (failures, warnings []*tfprotov6.Diagnostic) {
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			failures = append(failures, d)
		} else {
			warnings = append(warnings, d)
		}
	}
	return failures, warnings
}

func checkOneError(t *testing.T, diags []*tfprotov6.Diagnostic, want wanted) {
	t.Helper()
	failures, _ := split(diags)
	if len(failures) != 1 {
		for _, d := range failures {
			t.Logf("error: %s: %s", d.Summary, d.Detail)
		}
		t.Fatalf("%d errors, want exactly one", len(failures))
	}
	want.check(t, failures[0])
}

func checkNoError(t *testing.T, diags []*tfprotov6.Diagnostic) {
	t.Helper()
	failures, _ := split(diags)
	for _, d := range failures {
		t.Errorf("error: %s: %s", d.Summary, d.Detail)
	}
}

// account returns a provider block for a simulator.
func account(s *acctest.Sim) values {
	return values{
		"server": text(s.URL()), "username": text(s.Server().Username()), "password": text(s.Server().Password()),
		"max_retries": tftypes.NewValue(tftypes.Number, 0),
	}
}

func TestProvider_loginRefused(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	mfa := acctest.Simulator(t, "mfa: true")
	secure := acctest.Simulator(t, "", acctest.WithTLS())
	noTLS := strings.TrimPrefix(sim.URL(), "http://")

	cases := map[string]struct {
		in   values
		want wanted
	}{
		"wrong password": {
			account(sim).with(values{"password": text("not it")}),
			wanted{"username", fmt.Sprintf("Unable to log in to Tower %q", sim.URL()), `does not accept the username "root"`},
		},
		"unknown user": {
			account(sim).with(values{"username": text("nobody")}),
			wanted{"username", fmt.Sprintf("Unable to log in to Tower %q", sim.URL()), `does not accept the username "nobody"`},
		},
		"wrong token": {
			values{"server": text(sim.URL()), "api_token": text("revoked")},
			wanted{"", fmt.Sprintf("Unable to log in to Tower %q", sim.URL()), `does not accept the API token`},
		},
		"second factor": {
			account(mfa),
			wanted{"username", fmt.Sprintf("Unable to log in to Tower %q", mfa.URL()), `second factor.*api_token`},
		},
		"certificate not trusted": {
			account(secure),
			wanted{"server", fmt.Sprintf("Unable to log in to Tower %q", secure.URL()), `(?s)is not trusted.*certificate signed by unknown authority.*Set ca_certificate`},
		},
		"no TLS": {
			account(sim).with(values{"server": text(noTLS)}),
			wanted{"server", fmt.Sprintf("Unable to log in to Tower %q", "https://"+noTLS), `does not speak TLS`},
		},
		"certificate file missing": {
			account(secure).with(values{"ca_certificate": text("/no/such/file.pem")}),
			wanted{"ca_certificate", `Unable to configure provider "elf"`, `no such file`},
		},
		"certificate of another": {
			account(secure).with(values{"ca_certificate": text(acctest.Simulator(t, "", acctest.WithTLS()).Server().CACertificate())}),
			wanted{"ca_certificate", fmt.Sprintf("Unable to log in to Tower %q", secure.URL()), `(?s)is not trusted.*correct ca_certificate`},
		},
		"header of the provider's own": {
			account(sim).with(values{"headers": texts(map[string]string{"Authorization": "x"})}),
			wanted{"headers", `Unable to configure provider "elf"`, `Authorization`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkOneError(t, configure(t, serve(), tc.in), tc.want)
		})
	}
}

func TestProvider_noTower(t *testing.T) {
	t.Parallel()
	answer := func(status int, contentType, body string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(silent.Close)

	cases := map[string]struct{ url, detail string }{
		"nobody listens":  {closedPort(t), `cannot be reached`},
		"no answer":       {silent.URL, `cannot be reached`},
		"unknown host":    {"http://tower.invalid", `cannot be reached`},
		"a web page":      {answer(http.StatusOK, "text/html", "<html>Welcome</html>"), `not as a Tower does`},
		"page not found":  {answer(http.StatusNotFound, "text/html", "<html>404</html>"), `not as a Tower does`},
		"another service": {answer(http.StatusOK, "application/json", `{"status": "ok"}`), `not as a Tower does`},
		"text":            {answer(http.StatusOK, "text/plain", "hello"), `not as a Tower does`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := configure(t, serve(), values{
				"server": text(tc.url), "username": text("root"), "password": text("secret"),
				"request_timeout": text("500ms"), "max_retries": tftypes.NewValue(tftypes.Number, 0),
			})
			checkOneError(t, diags, wanted{"server", fmt.Sprintf("Unable to log in to Tower %q", tc.url), tc.detail})
		})
	}
}

// TestProvider_failsFast checks that an unreachable Tower is reported within
// seconds, however often requests are repeated otherwise.
func TestProvider_failsFast(t *testing.T) {
	t.Parallel()
	const limit = 5 * time.Second
	closed := closedPort(t)
	secure := acctest.Simulator(t, "", acctest.WithTLS())
	cases := map[string]struct{ url, detail string }{
		"nobody listens": {
			closed, "(?s)" + closed + " cannot be reached: " + strings.TrimPrefix(closed, "http://") +
				` refuses the connection\. The cause: get-version failed:.*connection refused\..*Check the host, the port and the scheme of server.*VPN`,
		},
		"unknown host":            {"https://tower.invalid", `(?s)https://tower.invalid cannot be reached: the name "tower.invalid".*The cause:.*lookup tower.invalid.*DNS servers`},
		"certificate not trusted": {secure.URL(), `(?s)is not trusted\. The cause:.*x509: certificate signed by unknown authority\..*Set ca_certificate.*insecure`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			diags := configure(t, serve(), values{"server": text(tc.url), "username": text("root"), "password": text("secret")})
			if took := time.Since(start); took > limit {
				t.Errorf("it took %s", took)
			}
			checkOneError(t, diags, wanted{"server", fmt.Sprintf("Unable to log in to Tower %q", tc.url), tc.detail})
		})
	}
}

// closedPort returns the URL of a port on which nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	return "http://" + listener.Addr().String()
}

func TestProvider_login(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, `
inventory:
  users:
    - {username: root, password: local-password, source: LOCAL, api_key: root-key}
    - {username: alice, password: ldap-password, source: LDAP}
`)
	secure := acctest.Simulator(t, "", acctest.WithTLS())
	const unencrypted = "Connection to Tower is not encrypted"

	cases := map[string]struct {
		in      values
		warning string
	}{
		"password": {account(sim), unencrypted},
		"local":    {account(sim).with(values{"user_source": text("LOCAL")}), unencrypted},
		"token":    {values{"server": text(sim.URL()), "api_token": text("root-key")}, unencrypted},
		"LDAP": {account(sim).with(values{
			"username": text("alice"), "password": text("ldap-password"), "user_source": text("LDAP"),
		}), unencrypted},
		"trusted certificate": {account(secure).with(values{"ca_certificate": text(secure.Server().CACertificate())}), ""},
		"any certificate": {
			account(secure).with(values{"insecure": tftypes.NewValue(tftypes.Bool, true)}),
			"Certificate of Tower is not verified",
		},
		"host and port": {account(secure).with(values{
			"server": text(strings.TrimPrefix(secure.URL(), "https://")), "ca_certificate": text(secure.Server().CACertificate()),
		}), ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := configure(t, serve(), tc.in)
			checkNoError(t, diags)
			_, warnings := split(diags)
			switch {
			case tc.warning == "" && len(warnings) > 0:
				t.Errorf("warning %q, want none", warnings[0].Summary)
			case tc.warning != "" && (len(warnings) != 1 || warnings[0].Summary != tc.warning):
				t.Errorf("%d warnings, want one: %s", len(warnings), tc.warning)
			}
		})
	}
}

func TestProvider_refusedByValidation(t *testing.T) {
	t.Parallel()
	base := values{"server": text("tower"), "username": text("root"), "password": text("secret")}
	number := func(n int64) tftypes.Value { return tftypes.NewValue(tftypes.Number, n) }
	cases := map[string]struct {
		in   values
		want wanted
	}{
		"scheme":           {base.with(values{"server": text("ftp://tower")}), wanted{"server", "Invalid server", `"ftp"`}},
		"user source":      {base.with(values{"user_source": text("KERBEROS")}), wanted{"user_source", "Invalid Attribute Value Match", `LOCAL`}},
		"poll interval":    {base.with(values{"poll_interval": text("61s")}), wanted{"poll_interval", "Invalid duration", `longer than 1m`}},
		"short interval":   {base.with(values{"poll_interval": text("99ms")}), wanted{"poll_interval", "Invalid duration", `shorter than 100ms`}},
		"request timeout":  {base.with(values{"request_timeout": text("30")}), wanted{"request_timeout", "Invalid duration", `not a duration`}},
		"retries":          {base.with(values{"max_retries": number(-1)}), wanted{"max_retries", "Invalid Attribute Value", `between 0 and 100`}},
		"requests":         {base.with(values{"max_concurrent_requests": number(0)}), wanted{"max_concurrent_requests", "Invalid Attribute Value", `between 1`}},
		"empty user":       {base.with(values{"username": text("")}), wanted{"username", "Invalid Attribute Value Length", `at least 1`}},
		"token and user":   {base.with(values{"api_token": text("key")}), wanted{"username", "Invalid combination of credentials", `Remove api_token`}},
		"no server":        {values{"username": text("root"), "password": text("x")}, wanted{"server", "Missing server", `ELF_SERVER`}},
		"no credentials":   {values{"server": text("tower")}, wanted{"username", "Missing credentials", `ELF_USERNAME`}},
		"no password":      {values{"server": text("tower"), "username": text("root")}, wanted{"password", "Missing password", `ELF_PASSWORD`}},
		"user info in URL": {base.with(values{"server": text("https://a:b@tower")}), wanted{"server", "Invalid server", `credentials`}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if acctest.OnTower() && strings.HasPrefix(tc.want.summary, "Missing") {
				t.Skip("the environment names a Tower")
			}
			checkOneError(t, configure(t, serve(), tc.in), tc.want)
		})
	}
}

// TestProvider_unknown plans with a server that is known only after apply.
func TestProvider_unknown(t *testing.T) {
	t.Parallel()
	server := serve()
	in := values{"server": tftypes.NewValue(tftypes.String, tftypes.UnknownValue), "username": text("root"), "password": text("secret")}
	if diags := configure(t, server, in); len(diags) > 0 {
		t.Fatalf("%s: %s", diags[0].Summary, diags[0].Detail)
	}
	config := dynamic(t, schemas(t, server).DataSourceSchemas["elf_cluster"], values{"name": text("c")})
	resp, err := server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: "elf_cluster", Config: config})
	if err != nil {
		t.Fatal(err)
	}
	checkOneError(t, resp.Diagnostics, wanted{"", "Provider configuration not known yet", `known only after apply`})
}

func TestProvider_deferred(t *testing.T) {
	t.Parallel()
	server := serve()
	in := values{"server": tftypes.NewValue(tftypes.String, tftypes.UnknownValue)}
	config := dynamic(t, schemas(t, server).Provider, in)
	_, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		Config: config, ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{
		TypeName:           "elf_cluster",
		Config:             dynamic(t, schemas(t, server).DataSourceSchemas["elf_cluster"], values{"name": text("c")}),
		ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	checkNoError(t, resp.Diagnostics)
	if resp.Deferred == nil || resp.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
		t.Errorf("deferred %v, want it for the provider's unknown configuration", resp.Deferred)
	}
}

// TestProvider_requests checks the headers of each request.
func TestProvider_requests(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	type seen struct{ path, agent, extra string }
	requests := make(chan seen, 100)
	tower := sim.Server().Handler()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests <- seen{r.URL.Path, r.UserAgent(), r.Header.Get("X-Extra")}
		tower.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)

	checkNoError(t, configure(t, serve(), account(sim).with(values{
		"server": text(front.URL), "headers": texts(map[string]string{"x-extra": "on"}),
	})))
	close(requests)
	count := 0
	for r := range requests {
		count++
		if want := "terraform-provider-elf/1.2.3 (+https://registry.terraform.io/providers/smartxworks/elf) Terraform/1.9.9"; r.agent != want {
			t.Errorf("%s: user agent %q, want %q", r.path, r.agent, want)
		}
		if r.extra != "on" {
			t.Errorf("%s: the configured header is %q", r.path, r.extra)
		}
	}
	if count == 0 {
		t.Error("no request was made")
	}
}

// TestProvider_schema checks the schemas of the provider and of all its objects,
// as the framework does when it serves them.
func TestProvider_schema(t *testing.T) {
	t.Parallel()
	resp := schemas(t, serve())
	for _, name := range []string{"elf_cluster", "elf_vlan", "elf_content_library_vm_template"} {
		if resp.DataSourceSchemas[name] == nil {
			t.Errorf("there is no data source %s", name)
		}
	}
	if resp.ResourceSchemas["elf_vm"] == nil {
		t.Error("there is no resource elf_vm")
	}
	if resp.ActionSchemas["elf_vm_power"] == nil {
		t.Error("there is no action elf_vm_power")
	}
	if resp.ListResourceSchemas["elf_vm"] == nil {
		t.Error("there is no list resource elf_vm")
	}
	for name, schema := range resp.ResourceSchemas {
		checkDescribed(t, "resource "+name, schema.Block)
	}
	for name, schema := range resp.DataSourceSchemas {
		checkDescribed(t, "data source "+name, schema.Block)
	}
	for name, schema := range resp.ListResourceSchemas {
		checkDescribed(t, "list resource "+name, schema.Block)
	}
	for name, schema := range resp.ActionSchemas {
		checkDescribed(t, "action "+name, schema.Schema.Block)
	}
	checkDescribed(t, "provider", resp.Provider.Block)
	for name, f := range resp.Functions {
		if f.Summary == "" || f.Description == "" || f.Parameters[0].Description == "" {
			t.Errorf("function %s is not described: %+v", name, f)
		}
	}
	for _, a := range resp.Provider.Block.Attributes {
		if secret := a.Name == "password" || a.Name == "api_token"; a.Sensitive != secret {
			t.Errorf("%s: sensitive %t, want %t", a.Name, a.Sensitive, secret)
		}
	}
}

// checkDescribed checks that a block and its attributes, nested ones included, say what they are in whole sentences,
// and that the block holds attributes alone.
func checkDescribed(t *testing.T, name string, block *tfprotov6.SchemaBlock) {
	t.Helper()
	if !strings.HasSuffix(block.Description, ".") {
		t.Errorf("%s has the description %q, want sentences", name, block.Description)
	}
	if len(block.BlockTypes) > 0 {
		t.Errorf("%s has %d blocks, want nested attributes", name, len(block.BlockTypes))
	}
	checkAttributesDescribed(t, name, block.Attributes)
}

func checkAttributesDescribed(t *testing.T, name string, attributes []*tfprotov6.SchemaAttribute) {
	t.Helper()
	for _, a := range attributes {
		at := name + ": " + a.Name
		if !strings.HasSuffix(a.Description, ".") {
			t.Errorf("%s has the description %q, want sentences", at, a.Description)
		}
		if a.DescriptionKind != tfprotov6.StringKindMarkdown {
			t.Errorf("%s is not described in Markdown", at)
		}
		if a.NestedType != nil {
			checkAttributesDescribed(t, at, a.NestedType.Attributes)
		}
	}
}

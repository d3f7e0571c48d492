// SPDX-License-Identifier: MPL-2.0

package network

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/netwait"
	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
)

// ReportType returns the type of network_readiness_report.
func ReportType() map[string]attr.Type {
	return map[string]attr.Type{"source": types.StringType, "ready_at": types.StringType, "waited": types.StringType}
}

// Report returns the values of network_ready and network_readiness_report for a
// wait. They are null if no wait took place.
func Report(result netwait.Result) (types.Bool, types.Object) {
	if result.End == netwait.NotAwaited {
		return types.BoolNull(), types.ObjectNull(ReportType())
	}
	ready := result.End == netwait.Ready
	report := map[string]attr.Value{
		"source":   types.StringValue(string(readiness.SourceNone)),
		"ready_at": types.StringNull(),
		"waited":   types.StringValue(result.Waited.Round(time.Millisecond).String()),
	}
	if ready {
		report["source"] = types.StringValue(string(result.Verdict.Source))
		report["ready_at"] = types.StringValue(result.At.UTC().Format(time.RFC3339Nano))
	}
	return types.BoolValue(ready), types.ObjectValueMust(ReportType(), report)
}

// AddressList returns the addresses as the value of an attribute; it is never null.
func AddressList(addresses []netip.Addr) types.List {
	texts := make([]string, 0, len(addresses))
	for _, address := range addresses {
		texts = append(texts, address.String())
	}
	return attrs.StringList(texts)
}

// DefaultAddress returns the value of default_ip_address, null if there is none.
func DefaultAddress(verdict readiness.Verdict) types.String {
	if !verdict.Default.IsValid() {
		return types.StringNull()
	}
	return types.StringValue(verdict.Default.String())
}

// AddEnd adds a diagnostic for a wait that did not end with a ready network, or
// for a look in its place that failed. A cancelled wait is a warning whatever
// on_timeout says: an error in a create would
// taint a good object, and the next apply would destroy it.
func AddEnd(diags *diag.Diagnostics, req netwait.Request, result netwait.Result, onTimeout string) {
	const (
		kept    = "\n\nThe VM is kept, with network_ready = false in the state."
		resumed = " The next apply resumes the wait in place."
	)
	at := path.Root("network_readiness")
	notReady := fmt.Sprintf("Network of VM %q is not ready", req.VMName)
	switch {
	case result.End == netwait.Ready:
	case result.End == netwait.NotAwaited:
		if result.Err != nil {
			diags.AddWarning(fmt.Sprintf("Addresses of VM %q not read", req.VMName), diagx.Detail(result.Err))
		}
	case result.End == netwait.Cancelled:
		diags.AddAttributeWarning(at, fmt.Sprintf("Wait for the network of VM %q cancelled", req.VMName), result.Report(req)+kept+resumed)
	case onTimeout == OnTimeoutWarn:
		diags.AddAttributeWarning(at, notReady, result.Report(req)+kept+resumed)
	default:
		diags.AddAttributeError(at, notReady, result.Report(req)+kept+
			" If this was a create, Terraform has marked the object as tainted, and the next apply would replace it. "+
			"To keep it, run terraform untaint on it; the next apply then resumes the wait in place. "+
			"With network_readiness.on_timeout = \"warn\", it would not be tainted.")
	}
}

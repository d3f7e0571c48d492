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

// ReportType is the type of network_readiness_report.
func ReportType() map[string]attr.Type {
	return map[string]attr.Type{"source": types.StringType, "ready_at": types.StringType, "waited": types.StringType}
}

// Report is the outcome of a wait: network_ready and network_readiness_report,
// which are null where no wait took place.
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

// AddressList is a list of addresses as an attribute holds it; it is never null.
func AddressList(addresses []netip.Addr) types.List {
	texts := make([]string, 0, len(addresses))
	for _, address := range addresses {
		texts = append(texts, address.String())
	}
	return attrs.StringList(texts)
}

// DefaultAddress is default_ip_address: null where there is none.
func DefaultAddress(verdict readiness.Verdict) types.String {
	if !verdict.Default.IsValid() {
		return types.StringNull()
	}
	return types.StringValue(verdict.Default.String())
}

// AddEnd adds the diagnostic of a wait that did not end with a ready network, or
// of a look in its place that failed. Cancelling is a warning whatever on_timeout says: an error in a create would
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
			" Where a create has failed, Terraform marks the object as tainted and the next apply would replace it: "+
			"run terraform untaint on it to keep it, and the next apply resumes the wait in place. "+
			"With network_readiness.on_timeout = \"warn\" it is not tainted in the first place.")
	}
}

// SPDX-License-Identifier: MPL-2.0

package vm_test

import "fmt"

// lifeRows are the changes of what concerns Terraform alone.
func lifeRows() []inPlaceRow {
	all := []inPlaceRow{
		{argument: "shutdown_timeout", effect: recorded, after: args{"shutdown_timeout": `"1m"`}},
		{argument: "force_power_off", effect: recorded, after: args{"force_power_off": "false"}},
		{argument: "delete_snapshots", effect: recorded, after: args{"delete_snapshots": "true"}},
		{argument: "delete_mode", effect: recorded, after: args{"delete_mode": `"RECYCLE_BIN"`}},
		{
			argument: "network_readiness", effect: recorded, before: args{"network_readiness": "{ enabled = false }"}, after: args{"network_readiness": ""},
			advice: "It takes effect in the next wait. The next apply resumes a wait that did not succeed, whatever it changes.",
		},
	}
	const host = `host = "https://127.0.0.1:1"`
	node := func(name string) string {
		return fmt.Sprintf("kubernetes_node = { name = %q, kubernetes = { %s } }", name, host)
	}
	for _, argument := range []struct{ path, before, after string }{
		{"network_readiness.enabled", "enabled = true", "enabled = false"},
		{"network_readiness.timeout", `timeout = "10m"`, `timeout = "11m"`},
		{"network_readiness.on_timeout", `on_timeout = "error"`, `on_timeout = "warn"`},
		{"network_readiness.require_static", "require_static = false", "require_static = true"},
		{"network_readiness.ignored_cidrs", `ignored_cidrs = []`, `ignored_cidrs = ["172.17.0.0/16"]`},
		{"network_readiness.settle", `settle = "0s"`, `settle = "1s"`},
		{"network_readiness.kubernetes_node", "enabled = true", node("n")},
		{"network_readiness.kubernetes_node.name", node("n"), node("m")},
	} {
		all = append(all, inPlaceRow{
			argument: argument.path, effect: recorded,
			before: args{"network_readiness": "{ " + argument.before + " }"}, after: args{"network_readiness": "{ " + argument.after + " }"},
		})
	}
	kubernetes := func(members string) args {
		return args{"network_readiness": fmt.Sprintf("{ kubernetes_node = { kubernetes = { %s } } }", members)}
	}
	for _, argument := range []struct{ name, before, after string }{
		{"", `config_path = "/nonexistent/a"`, host},
		{"config_path", `config_path = "/nonexistent/a"`, `config_path = "/nonexistent/b"`},
		{"config_content", "config_content = local.kubeconfig", `config_content = "${local.kubeconfig}\n"`},
		{"config_context", `config_path = "/nonexistent/a", config_context = "a"`, `config_path = "/nonexistent/a", config_context = "b"`},
		{"host", host, `host = "https://127.0.0.1:2"`},
		{"token", host + `, token = "a"`, host + `, token = "b"`},
		{"client_certificate", host, host + ", client_certificate = local.certificate, client_key = local.key"},
		{"client_key", host + ", client_certificate = local.certificate, client_key = local.key", host + `, client_certificate = local.certificate, client_key = "${local.key}\n"`},
		{"cluster_ca_certificate", host, host + ", cluster_ca_certificate = local.certificate"},
		{"insecure", host, host + `, insecure = true`},
	} {
		path := "network_readiness.kubernetes_node.kubernetes"
		if argument.name != "" {
			path += "." + argument.name
		}
		all = append(all, inPlaceRow{argument: path, effect: recorded, before: kubernetes(argument.before), after: kubernetes(argument.after)})
	}
	all = append(all, inPlaceRow{argument: "timeouts", effect: recorded, before: args{"timeouts": `{ create = "20m" }`}, after: args{"timeouts": ""}})
	for _, operation := range []string{"create", "read", "update", "delete"} {
		all = append(all, inPlaceRow{
			argument: "timeouts." + operation, effect: recorded,
			before: args{"timeouts": fmt.Sprintf("{ %s = \"20m\" }", operation)}, after: args{"timeouts": fmt.Sprintf("{ %s = \"21m\" }", operation)},
		})
	}
	return all
}

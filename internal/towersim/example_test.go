// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// A simulated Tower with a VM whose guest reports its address two minutes after
// the power-on. With a manual clock, this takes no real time.
func Example() {
	server, err := towersim.New(towersim.Options{
		ManualClock: true,
		YAML: []byte(`
inventory:
  vms: [{name: web}]
guests:
  - match: web
    nics: [{index: 0, address: 10.255.1.7, reported: 2m}]`),
	})
	if err != nil {
		fmt.Println(err)

		return
	}
	defer server.Close()

	for range 2 {
		for _, vm := range server.VMs() {
			fmt.Println(vm.Name, vm.NICs[0].ReportedAt != nil)
		}

		server.Advance(2 * time.Minute)
	}

	// Output:
	// web false
	// web true
}

// A fault makes the first request of an operation fail.
func ExampleServer_InjectFaults() {
	server, err := towersim.New(towersim.Options{})
	if err != nil {
		fmt.Println(err)

		return
	}
	defer server.Close()

	err = server.InjectFaults(towersim.Fault{Operation: "login", Times: 1, Status: http.StatusBadGateway})
	if err != nil {
		fmt.Println(err)

		return
	}

	credentials, err := json.Marshal(map[string]string{"username": server.Username(), "password": server.Password()})
	if err != nil {
		fmt.Println(err)

		return
	}

	for range 2 {
		response, err := http.Post(server.URL()+"/v2/api/login", "application/json", bytes.NewReader(credentials))
		if err != nil {
			fmt.Println(err)

			return
		}

		fmt.Println(response.Status)

		_ = response.Body.Close()
	}

	// Output:
	// 502 Bad Gateway
	// 200 OK
}

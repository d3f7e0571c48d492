// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// Readers copy the scenarios of the guide.
func TestScenariosOfTheGuideAreValid(t *testing.T) {
	guide, err := os.ReadFile("../../templates/guides/testing-with-towersim.md")
	if err != nil {
		t.Fatal(err)
	}

	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(guide, -1)
	if len(blocks) < 2 {
		t.Fatalf("the guide has %d scenarios", len(blocks))
	}

	for _, block := range blocks {
		server, err := towersim.New(towersim.Options{YAML: block[1]})
		if err != nil {
			t.Errorf("%v in:\n%s", err, block[1])

			continue
		}

		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
}

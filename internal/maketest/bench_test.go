// SPDX-License-Identifier: MPL-2.0

package maketest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest/need"
)

// measuringGo is a stand-in for Go whose tests and benchmarks print fixed figures,
// and fail if FAIL says so.
const measuringGo = `#!/bin/sh
if [ "$1" = env ]; then echo go1.26.8; exit 0; fi
case $* in
*bench*)
  echo "BenchmarkLag/single-dhcp-4         	       1	        40.00 VMs	         5.071 max-s	         2.486 median-s	         0.1 min-s"
  echo "BenchmarkWaiting/VMs=100-4         	       1	        24.00 allowed	        12.00 looks	        24.00 requests"
  ;;
*) echo "    budget_test.go:47: 100 VMs: 2.69 requests each to create, 0.10 to refresh" ;;
esac
[ -z "$FAIL" ]
`

const oldPage = `# Performance

<!-- bench: measured -->
<!-- /bench -->
How soon:
<!-- bench: lag -->
| old | figures |
<!-- /bench -->

<!-- bench: waiting -->
<!-- /bench -->
<!-- bench: budget -->
<!-- /bench -->
The end.
`

const newPage = `# Performance

<!-- bench: measured -->
Measured by ` + "`make bench`" + ` on DAY, with Go 1.26.8 and Terraform v1.11.4 on 4 processors.
<!-- /bench -->
How soon:
<!-- bench: lag -->
| case | VMs | median | maximum |
|---|---|---|---|
| ` + "`single-dhcp`" + ` | 40 | 2.5 s | 5.1 s |
<!-- /bench -->

<!-- bench: waiting -->
| waiting VMs | requests a minute | allowed |
|---|---|---|
| 100 | 24 | 24 |
<!-- /bench -->
<!-- bench: budget -->
| | requests for each VM |
|---|---|
| create, wait and read, each of 100 | 2.69 |
| refresh, each of 100 | 0.10 |
<!-- /bench -->
The end.
`

// bench runs tools/bench for a page with the given text. It returns the page
// afterwards and the output.
func bench(t *testing.T, text string, variables ...string) (page, output string, err error) {
	t.Helper()
	dir := t.TempDir()
	for _, program := range []string{"awk", "sed", "date", "grep", "cat", "mkdir", "dirname"} {
		need.Program(t, program)
	}
	for name, content := range map[string]string{
		"go": measuringGo, "terraform": "#!/bin/sh\necho Terraform v1.11.4\necho on linux_amd64\n", "page.md": text,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "page.md")
	cmd := exec.CommandContext(t.Context(), "../../tools/bench", filepath.Join(dir, "go"), filepath.Join(dir, "out", "bench.txt"), path)
	cmd.Env = append(os.Environ(), append(variables, "TF_ACC_TERRAFORM_PATH="+filepath.Join(dir, "terraform"))...)
	printed, err := cmd.CombinedOutput()
	after, readErr := os.ReadFile(path)
	if readErr != nil {
		t.Fatal(readErr)
	}
	return string(after), string(printed), err
}

func TestBenchWritesItsFiguresOnThePage(t *testing.T) {
	t.Parallel()
	before := time.Now().UTC().Format(time.DateOnly)
	page, output, err := bench(t, oldPage)
	after := time.Now().UTC().Format(time.DateOnly)
	if page != strings.Replace(newPage, "DAY", before, 1) && page != strings.Replace(newPage, "DAY", after, 1) || err != nil {
		t.Errorf("it ended with %v, said %s and wrote %s", err, output, page)
	}
	if !strings.Contains(output, "| 100 | 24 | 24 |") {
		t.Errorf("it said %s", output)
	}
	if again, _, err := bench(t, page); again != page || err != nil {
		t.Errorf("once more it ended with %v and wrote %s", err, again)
	}
}

func TestBenchThatFailsLeavesThePage(t *testing.T) {
	t.Parallel()
	page, output, err := bench(t, oldPage, "FAIL=yes")
	if err == nil || page != oldPage || !strings.Contains(output, "| 100 | 24 | 24 |") {
		t.Errorf("it ended with %v, said %s and wrote %s", err, output, page)
	}
}

func TestBenchWantsAPlaceForEachFigure(t *testing.T) {
	t.Parallel()
	page := strings.Replace(oldPage, "<!-- bench: waiting -->\n", "", 1)
	if _, output, err := bench(t, page); err == nil || !strings.Contains(output, "has no place for 'waiting'") {
		t.Errorf("it ended with %v and said %s", err, output)
	}
}

func TestPerformancePageHasAPlaceForEachFigure(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	if after, output, err := bench(t, string(page)); err != nil || !strings.Contains(after, "| `single-dhcp` | 40 | 2.5 s | 5.1 s |") {
		t.Errorf("it ended with %v, said %s and wrote %s", err, output, after)
	}
}

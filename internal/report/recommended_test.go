// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"strings"
	"testing"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/testfiles"
)

// recommending asks for the variant that writes best and reads well, with two disks to lose.
const recommending = `
recommend:
  goals:
  - {workload: seq-write, metric: writeBandwidth, weight: 3}
  - {workload: seq-read, metric: readBandwidth, weight: 1}
  minRedundancy: 2
`

func TestRecommendedGolden(t *testing.T) {
	in := experimentInput(t, twoByThree+sixRepetitions+recommending, reality{speed: sixVariants, cv: 0.01, slow: -1},
		"storage-0")
	if out := build(t, in); strings.Contains(string(out.Markdown), "Recommendation") || len(out.StorageClass) > 0 {
		t.Error("it recommends before the benchmark has finished")
	}
	in.Finished = true
	out := build(t, in)
	checkMarkdown(t, out.Markdown)
	testfiles.Compare(t, "summary-recommended.md", string(out.Markdown))
	data := Chunks("layouts-results", out)[0].Data
	for key, want := range map[string]string{model.StorageClassKey: "values:\n    - storage-0",
		model.ZpoolCreateKey: "zpool create -m none -o ashift=12"} {
		if !strings.Contains(data[key], want) {
			t.Errorf("%s lacks %q:\n%s", key, want, data[key])
		}
	}
	in.Nodes[0].DriverID = "id-7"
	if class := Chunks("layouts-results", build(t, in))[0].Data[model.StorageClassKey]; !strings.Contains(class,
		"values:\n    - id-7") {
		t.Errorf("%s does not name the node as the driver does:\n%s", model.StorageClassKey, class)
	}
	var document model.Report
	if err := json.Unmarshal(out.JSON, &document); err != nil {
		t.Fatal(err)
	}
	if r := document.Recommendation; r == nil || len(r.Candidates) != 3 || len(r.Rejected) != 3 || r.Lead == nil ||
		r.Lead.N != 6 || r.Candidates[0].Score != 1 {
		t.Errorf("%+v", document.Recommendation)
	}
}

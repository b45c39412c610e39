// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
)

// onClass is a mirror of two disks of a class.
const onClass = `
devices: [{name: d, class: nvme, count: 2}]
pool: {layout: Mirror, devices: [d0, d1]}
workloads: [{name: seq-write, fio: {rw: write, bs: 128k, size: 64Mi, numJobs: 4}}]
`

// classInput is a benchmark on a class, with the models and firmwares of the two disks of each of two nodes.
func classInput(t *testing.T, disks [2][2][2]string) model.Input {
	t.Helper()
	in := experimentInput(t, onClass, reality{speed: map[string]float64{"default": 1}, slow: -1}, "storage-0", "storage-1")
	for i := range in.Nodes {
		in.Nodes[i].Preflight = &result.Preflight{Passed: true}
		for k, d := range in.Nodes[i].Plan.Devices {
			in.Nodes[i].Preflight.Devices = append(in.Nodes[i].Preflight.Devices, result.DeviceReport{Name: d.Name,
				Path: d.Path, Usable: true, Model: disks[i][k][0], Firmware: disks[i][k][1]})
		}
	}
	return in
}

func TestDisksOfAClassInTheReport(t *testing.T) {
	same := [2][2]string{{"P5510", "1.0"}, {"P5510", "1.0"}}
	tests := map[string]struct {
		disks  [2][2][2]string
		change func(*model.Input)
		want   []string
	}{
		"the same":  {disks: [2][2][2]string{same, same}},
		"not known": {disks: [2][2][2]string{same, {}}},
		"other models and firmwares": {
			disks: [2][2][2]string{same, {{"P5510", "1.0"}, {"PM9A3", "2.0"}}},
			want: []string{"The disks of class nvme differ between nodes in model: P5510 on storage-0; P5510 and PM9A3 on " +
				"storage-1. A difference between these nodes may be one between disks.",
				"differ between nodes in firmware: 1.0 on storage-0; 1.0 and 2.0 on storage-1."},
		},
		"other sizes": {disks: [2][2][2]string{same, same}, change: func(in *model.Input) {
			for i := range in.Nodes[1].Plan.Devices {
				in.Nodes[1].Plan.Devices[i].SizeBytes = 8 << 30
			}
		}, want: []string{"differ between nodes in size: 4 GiB (4294967296 bytes) on storage-0; 8 GiB (8589934592 bytes) " +
			"on storage-1."}},
		"a name with markup": {disks: [2][2][2]string{same, {{"P|5510", "1.0"}, {"P|5510", "1.0"}}},
			want: []string{`differ between nodes in model: P5510 on storage-0; P\|5510 on storage-1.`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := classInput(t, tt.disks)
			if tt.change != nil {
				tt.change(&in)
			}
			page := string(build(t, in).Markdown)
			checkMarkdown(t, []byte(page))
			for _, want := range tt.want {
				if !strings.Contains(page, want) {
					t.Errorf("the report lacks %q:\n%s", want, page)
				}
			}
			if strings.Count(page, "differ between nodes in") != strings.Count(strings.Join(tt.want, ""),
				"differ between nodes in") {
				t.Errorf("other differences:\n%s", page)
			}
		})
	}
}

// TestChosenDisksInTheReport: a reader finds which disk was which, in the text and in results.json.
func TestChosenDisksInTheReport(t *testing.T) {
	out := build(t, classInput(t, [2][2][2]string{{{"P5510", "1.0"}, {"P5510", "1.0"}}}))
	for _, want := range []string{
		"- Device d: 2 disks of class nvme on each node\n",
		"- Disk d1 of class nvme: /dev/disk/by-id/nvme-storage-0-d1, 4 GiB, serial storage-0-d1, model P5510, firmware 1.0\n",
		"- Disk d0 of class nvme: /dev/disk/by-id/nvme-storage-1-d0, 4 GiB, serial storage-1-d0\n",
	} {
		if !strings.Contains(string(out.Markdown), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	var document model.Report
	if err := json.Unmarshal(out.JSON, &document); err != nil {
		t.Fatal(err)
	}
	want := []model.Disk{
		{Name: "d0", Class: "nvme", Path: "/dev/disk/by-id/nvme-storage-0-d0", Serial: "storage-0-d0", SizeBytes: 4 << 30,
			Model: "P5510", Firmware: "1.0"},
		{Name: "d1", Class: "nvme", Path: "/dev/disk/by-id/nvme-storage-0-d1", Serial: "storage-0-d1", SizeBytes: 4 << 30,
			Model: "P5510", Firmware: "1.0"},
	}
	if diff := cmp.Diff(want, document.Nodes[0].Disks); diff != "" {
		t.Errorf("disks in results.json (-want +got):\n%s", diff)
	}
}

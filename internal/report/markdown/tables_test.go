// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/analysis/bottleneck"
	"zfsbench.io/operator/internal/report/model"
)

func TestRatioTable(t *testing.T) {
	m := &page{Report: &model.Report{Ratios: []model.Ratio{{
		Workload: "given", Variant: "zfs", Node: "storage-0", Samples: 3, Compressed: 2.6, LeastCompressed: 2.59,
		MostCompressed: 2.61, Deduplicated: 4, DataBytes: 32 << 20, ReferencedBytes: 12.5 * (1 << 20),
	}}}}
	m.ratioTable()
	const want = `
## Compression and deduplication

| Workload |   Data | Referenced | Compressed | Least |  Most | Deduplicated |
| -------- | -----: | ---------: | ---------: | ----: | ----: | -----------: |
| given    | 32 MiB |   12.5 MiB |      2.60× | 2.59× | 2.61× |        4.00× |

Medians after a corpus was put into the dataset. Compressed: refcompressratio of the dataset, with the least and the
most of all trials. Deduplicated: dedupratio of the pool. Referenced: what the files take in the pool before
deduplication, as zfs counts it.
`
	if diff := cmp.Diff(want, m.out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A reader is told what was stored that is given from outside, and whether it was always the same.
func TestContents(t *testing.T) {
	const one, other = "sha256:0a", "sha256:0b"
	tests := map[string]struct {
		digests []string
		want    string
	}{
		"the same": {[]string{one, one, one}, "The data of given has the digest sha256:0a.\n"},
		"another": {[]string{one, other, one}, "The data of given was not the same in all trials (2 digests in " +
			"results.json): the image or the volume has changed meanwhile, or differs between nodes.\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := &page{Report: &model.Report{Ratios: []model.Ratio{{Workload: "given", Contents: tt.digests}}}}
			m.contents()
			if diff := cmp.Diff(tt.want, m.out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWorkTables(t *testing.T) {
	m := &page{Report: &model.Report{Work: []model.Work{
		{
			Workload: "files", Samples: 3, Seconds: 1, InodesCreated: 2000, DeviceReads: 7, Limited: 3,
			Limit: bottleneck.Limit{Factor: bottleneck.Unknown},
		},
		{
			Workload: "write", Samples: 3, Seconds: 4, DeviceWrites: 200, DeviceWriteBytesPerByte: 4, Limited: 3,
			Limit: bottleneck.Limit{
				Factor: bottleneck.Device, Devices: []string{"d0"},
				Evidence: "d0 97% of the time in use, 4 requests at once, 8 MiB/s",
			},
		},
	}}}
	m.workTables()
	want := `
## What limited the workloads

| Workload | Limit     |     In | Evidence                                               |
| -------- | --------- | -----: | ------------------------------------------------------ |
| files    | unknown   | 3 of 3 |                                                        |
| write    | device d0 | 3 of 3 | d0 97% of the time in use, 4 requests at once, 8 MiB/s |

Limit: what was at its limit while the workload ran, by ratios that docs/results.md states. In: in how many trials.

## Work of the devices

| Workload | Seconds | Inodes created | Disk reads | Disk writes | Read/app | Written/app |
| -------- | ------: | -------------: | ---------: | ----------: | -------: | ----------: |
| files    |       1 |             2k |          7 |           - |        - |           - |
| write    |       4 |              - |          - |         200 |        - |           4 |
`
	got, _, _ := strings.Cut(m.out.String(), "\nMedians of")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of more rows than a reader takes in, the tables say where the others are, and nothing is said of limits where
// nothing was observed.
func TestWorkTablesAreBounded(t *testing.T) {
	m := &page{Report: &model.Report{}}
	for _, workload := range []string{"files", "write"} {
		for range maxRows {
			m.Work = append(m.Work, model.Work{Workload: workload})
		}
	}
	m.workTables()
	got := m.out.String()
	if files, writes := strings.Count(got, "\n| files"), strings.Count(got, "\n| write"); files != maxRows/2 ||
		writes != maxRows/2 || !strings.Contains(got, "And 64 more, in results.csv and results.json.") ||
		strings.Contains(got, "limited") {
		t.Errorf("%d and %d rows in:\n%s", files, writes, got)
	}
}

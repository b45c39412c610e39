// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBlockRange(t *testing.T) {
	tests := map[string]struct {
		workload FioWorkload
		want     BlockRange
		fails    bool
	}{
		"default":    {FioWorkload{}, BlockRange{4096, 4096, 4096}, false},
		"one":        {FioWorkload{BS: "1M"}, BlockRange{1 << 20, 1 << 20, 1 << 20}, false},
		"mixed":      {FioWorkload{BSSplit: []FioBlockShare{{"8k", 50}, {"4k", 25}, {"16k", 25}}}, BlockRange{4096, 16384, 9216}, false},
		"recordsize": {FioWorkload{BS: BSRecordsize}, BlockRange{}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := tt.workload.BlockRange()
			if (err != nil) != tt.fails {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What a job sets takes the place of bs and bsSplit of its workload; what belongs to the whole workload is not its own.
func TestJobsTakeBlocks(t *testing.T) {
	split := []FioBlockShare{{"4k", 50}, {"8k", 50}}
	w := FioWorkload{RW: FioRead, BS: BSRecordsize, Passes: 1, SteadyState: &FioSteadyState{}, Jobs: []FioJob{{Name: "a"}, {Name: "b", BS: "8k"}, {Name: "c", BSSplit: split}}}
	jobs := w.WithRecords("16K").AllJobs()
	if jobs[0].BS != "16K" || jobs[1].BS != "8k" || jobs[2].BS != "" || len(jobs[2].BSSplit) != 2 {
		t.Errorf("%+v", jobs)
	}
	if !w.FollowsRecords() || w.WithRecords("16K").FollowsRecords() || jobs[0].SteadyState != nil || jobs[0].Passes != 0 {
		t.Errorf("%+v", jobs[0])
	}
	w.BS, w.BSSplit = "", split
	if jobs := w.AllJobs(); len(jobs[0].BSSplit) != 2 || len(jobs[1].BSSplit) != 0 || jobs[1].BS != "8k" {
		t.Errorf("%+v", jobs)
	}
}

func TestRecordsize(t *testing.T) {
	for want, d := range map[string]DatasetSpec{
		"128K": {}, "1M": {Type: DatasetFilesystem, Properties: DatasetProperties{"recordsize": "1M"}}, "": {Type: DatasetVolume},
		"64K": {Type: DatasetVolume, Properties: DatasetProperties{"volblocksize": "64K"}},
	} {
		if got := d.Recordsize(); got != want {
			t.Errorf("%+v: %q, want %q", d, got, want)
		}
	}
}

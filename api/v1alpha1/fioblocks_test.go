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
		"default": {FioWorkload{}, BlockRange{4096, 4096, 4096}, false},
		"one":     {FioWorkload{BS: "1M"}, BlockRange{1 << 20, 1 << 20, 1 << 20}, false},
		"mixed": {FioWorkload{BSSplit: []FioBlockShare{{"8k", 50}, {"4k", 25}, {"16k", 25}}},
			BlockRange{4096, 16384, 9216}, false},
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
	w := FioWorkload{RW: FioRead, BS: BSRecordsize, Passes: 1, SteadyState: &FioSteadyState{},
		Jobs: []FioJob{{Name: "a"}, {Name: "b", BS: "8k"}, {Name: "c", BSSplit: split}}}
	d := DatasetSpec{
		Properties: DatasetProperties{"recordsize": "16K"},
		Children:   []ChildDataset{{Name: "db", Properties: DatasetProperties{"recordsize": "8K"}}, {Name: "log"}},
	}
	jobs := w.WithRecords(d).AllJobs()
	if jobs[0].BS != "16K" || jobs[1].BS != "8k" || jobs[2].BS != "" || len(jobs[2].BSSplit) != 2 {
		t.Errorf("%+v", jobs)
	}
	if !w.FollowsRecords() || w.WithRecords(d).FollowsRecords() || jobs[0].SteadyState != nil || jobs[0].Passes != 0 {
		t.Errorf("%+v", jobs[0])
	}
	w.BS, w.BSSplit = "", split
	if jobs := w.AllJobs(); len(jobs[0].BSSplit) != 2 || len(jobs[1].BSSplit) != 0 || jobs[1].BS != "8k" {
		t.Errorf("%+v", jobs)
	}
}

func TestRecordsize(t *testing.T) {
	for want, d := range map[string]DatasetSpec{
		"128K": {}, "1M": {Type: DatasetFilesystem, Properties: DatasetProperties{"recordsize": "1M"}},
		"":    {Type: DatasetVolume},
		"64K": {Type: DatasetVolume, Properties: DatasetProperties{"volblocksize": "64K"}},
	} {
		if got := d.Recordsize(); got != want {
			t.Errorf("%+v: %q, want %q", d, got, want)
		}
	}
}

// A job has the blocks of the dataset that it works in, and a child those that it inherits.
func TestJobsTakeTheBlocksOfTheirDataset(t *testing.T) {
	d := DatasetSpec{
		Properties: DatasetProperties{"recordsize": "16K", "sync": "always"},
		Children:   []ChildDataset{{Name: "db", Properties: DatasetProperties{"recordsize": "8K"}}, {Name: "log"}},
	}
	w := FioWorkload{BS: BSRecordsize, Dataset: "db", Jobs: []FioJob{{Name: "a"}, {Name: "b", Dataset: "log"}}}
	jobs := w.WithRecords(d).AllJobs()
	if jobs[0].Dataset != "db" || jobs[0].BS != "8K" || jobs[1].Dataset != "log" || jobs[1].BS != "16K" {
		t.Errorf("%+v", jobs)
	}
	if w.Jobs[0].BS != "" {
		t.Error("the workload itself is changed")
	}
	if single := (FioWorkload{BS: BSRecordsize, Dataset: "db"}).WithRecords(d); single.BS != "8K" {
		t.Errorf("%+v", single)
	}
	if db, found := d.Child("db"); !found || db.Properties["sync"] != "always" || db.Properties["recordsize"] != "8K" ||
		d.Properties["recordsize"] != "16K" {
		t.Errorf("child %+v, %v", db, found)
	}
	if _, found := d.Child("media"); found {
		t.Error("a child that is not there is found")
	}
}

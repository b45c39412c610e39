// SPDX-License-Identifier: Apache-2.0

package result

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// several is a sample of so many jobs that read and write, and what they come to.
func several(jobs int) Sample {
	random := rand.New(rand.NewPCG(1, 2))
	s := Sample{CacheState: "Cold", Read: &Operation{}, Write: &Operation{}}
	did := func(sum *Operation) *Operation {
		var latencies Recorder
		n := 1000 + random.Int64N(1000)
		for range n {
			latencies.Record(random.Int64N(1e9))
		}
		runtime := 1e9 + random.Int64N(1e9)
		o := &Operation{Bytes: n * 4096, IOs: n, RuntimeNanoseconds: runtime,
			BandwidthBytesPerSecond: float64(n*4096) / float64(runtime) * 1e9, IOPS: float64(n) / float64(runtime) * 1e9}
		o.Latency = latencies.Latency()
		sum.Bytes, sum.IOs, sum.RuntimeNanoseconds = sum.Bytes+o.Bytes, sum.IOs+o.IOs, 5e9
		sum.BandwidthBytesPerSecond, sum.IOPS = float64(sum.Bytes)/5, float64(sum.IOs)/5
		return o
	}
	for i := range jobs {
		s.Jobs = append(s.Jobs, Job{Name: "job" + string(rune('a'+i)), Read: did(s.Read), Write: did(s.Write)})
	}
	return s
}

// As many jobs as there may be survive being sent; their histograms give way like all others.
func TestJobsSurvive(t *testing.T) {
	trial := makeTrial(1, 10)
	sample := several(MaxJobs)
	trial.Samples[0].Read, trial.Samples[0].Write, trial.Samples[0].Jobs = sample.Read, sample.Write, sample.Jobs
	data, err := EncodeTrial(trial)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeTrial(data, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range got.Samples[0].Jobs {
		if j.Name != sample.Jobs[i].Name || j.Read.Bytes != sample.Jobs[i].Read.Bytes ||
			j.Write.Latency.MaxNanoseconds != sample.Jobs[i].Write.Latency.MaxNanoseconds {
			t.Errorf("job %d is %+v", i, j)
		}
	}
	if s := got.Samples[0]; len(s.Operations()) != 2+2*MaxJobs || s.BytesRead() != sample.Read.Bytes ||
		s.Operation("jobbWrite").IOs != sample.Jobs[1].Write.IOs {
		t.Errorf("%d operations, %d bytes read", len(s.Operations()), s.BytesRead())
	}
}

func TestIsPart(t *testing.T) {
	s := several(2)
	got := map[string]bool{}
	for _, p := range s.Operations() {
		got[p.Name] = s.IsPart(p.Name)
	}
	want := map[string]bool{"read": false, "write": false, "jobaRead": true, "jobaWrite": true, "jobbRead": true,
		"jobbWrite": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJobsThatCannotBeTrue(t *testing.T) {
	tests := map[string]struct {
		change func(*Sample)
		want   string
	}{
		"too many":            {func(s *Sample) { *s = several(MaxJobs + 1) }, "more than 8"},
		"a name twice":        {func(s *Sample) { s.Jobs[1].Name = s.Jobs[0].Name }, "there twice"},
		"a name of two words": {func(s *Sample) { s.Jobs[1].Name = "a b" }, "is not a word"},
		"phases as well":      {func(s *Sample) { s.Phases = []Phase{aPhase("create")} }, "there are"},
		"more than all": {func(s *Sample) {
			s.Read.Bytes--
			s.Read.BandwidthBytesPerSecond = float64(s.Read.Bytes) / 5
		}, "of its jobs"},
		"longer than all": {func(s *Sample) {
			s.Write.RuntimeNanoseconds, s.Write.BandwidthBytesPerSecond, s.Write.IOPS = 1, float64(s.Write.Bytes)*1e9,
				float64(s.Write.IOs)*1e9
		}, "a job took"},
		"nothing but a job":     {func(s *Sample) { s.Write = nil }, "not of the workload"},
		"a rate that was never": {func(s *Sample) { s.Jobs[0].Read.IOPS *= 2 }, "jobaRead"},
		"a sum beyond numbers": {func(s *Sample) {
			*s = several(8)
			for _, j := range s.Jobs {
				j.Read.Bytes, j.Read.RuntimeNanoseconds = maxInteger, 1e12
				j.Read.BandwidthBytesPerSecond, j.Read.IOPS = float64(j.Read.Bytes)/1e3, float64(j.Read.IOs)/1e3
			}
		}, "of its jobs"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			trial := makeTrial(1, 10)
			sample := several(2)
			tt.change(&sample)
			trial.Samples[0].Read, trial.Samples[0].Write, trial.Samples[0].Jobs, trial.Samples[0].Phases = sample.Read,
				sample.Write, sample.Jobs, sample.Phases
			if err := checkTrial(trial); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

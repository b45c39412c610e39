// SPDX-License-Identifier: Apache-2.0

package result

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// aPhase creates a thousand files of 4 KiB in a second.
func aPhase(name string) Phase {
	var latencies Recorder
	for i := range 1000 {
		latencies.Record(int64(i+1) * 1000)
	}
	return Phase{Name: name, SyncNanoseconds: 5, Operation: Operation{
		Bytes: 4096000, IOs: 1000, RuntimeNanoseconds: 1e9, BandwidthBytesPerSecond: 4096000, IOPS: 1000,
		Latency: latencies.Latency(),
	}}
}

// What is made of phases survives being sent, and the operations are found by name.
func TestPhasesSurvive(t *testing.T) {
	trial := makeTrial(1, 10)
	sample := &trial.Samples[0]
	reading := aPhase("read")
	reading.Reads = true
	mixed := aPhase("throughput")
	mixed.Mixed = true
	sample.Read, sample.Write, sample.Phases = nil, nil,
		[]Phase{aPhase("create"), reading, {Name: "seek", TooFast: true}, mixed}
	data, err := EncodeTrial(trial)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeTrial(data, 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample.Phases, got.Samples[0].Phases); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var names []string
	for _, o := range got.Samples[0].Operations() {
		names = append(names, o.Name)
	}
	if diff := cmp.Diff([]string{"create", "read", "throughput"}, names); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	if s := got.Samples[0]; s.Operation("seek") != nil || s.Operation("create").Rate() != 4096000 ||
		s.BytesRead() != 4096000 || s.BytesWritten() != 4096000 || s.BytesMoved() != 3*4096000 {
		t.Errorf("read %d, written %d, moved %d", s.BytesRead(), s.BytesWritten(), s.BytesMoved())
	}
}

// What is copied is both read and written.
func TestCopiesAreReadAndWritten(t *testing.T) {
	copied := aPhase("copy")
	copied.Copies = true
	s := Sample{Phases: []Phase{copied, aPhase("create")}}
	if s.BytesRead() != 4096000 || s.BytesWritten() != 2*4096000 || checkPhases(s) != nil {
		t.Errorf("read %d, written %d, %v", s.BytesRead(), s.BytesWritten(), checkPhases(s))
	}
}

// Histograms of phases give way like all others when a trial is too large.
func TestPhasesFit(t *testing.T) {
	trial := makeTrial(1, 10)
	trial.Samples[0].Read, trial.Samples[0].Write = nil, nil
	for i := range MaxPhases {
		trial.Samples[0].Phases = append(trial.Samples[0].Phases, aPhase("p"+strings.Repeat("x", i)))
	}
	data, err := EncodeTrial(trial)
	if err != nil || len(data) > compressedLimit(1) {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	if _, err := DecodeTrial(data, 1); err != nil {
		t.Error(err)
	}
}

func TestPhasesAreChecked(t *testing.T) {
	tests := map[string]struct {
		change func(s *Sample)
		want   string
	}{
		"good":           {func(*Sample) {}, ""},
		"no word":        {func(s *Sample) { s.Phases[0].Name = "a b" }, "is not a word"},
		"twice":          {func(s *Sample) { s.Phases = append(s.Phases, s.Phases[0]) }, "is there twice"},
		"ended":          {func(s *Sample) { s.Phases[0].Ended = "Boredom" }, `ended by "Boredom"`},
		"fast and rated": {func(s *Sample) { s.Phases[0].TooFast = true }, "too fast"},
		"read or copied": {func(s *Sample) {
			s.Phases[0].Reads, s.Phases[0].Copies = true, true
		}, "create: it copies, and does something else"},
		"an odd rate": {func(s *Sample) { s.Phases[0].IOPS = 5 }, "create: iops"},
		"told":        {func(s *Sample) { s.Phases[0].SelfReported = true }, ""},
		"told and read": {func(s *Sample) {
			s.Phases[0].SelfReported, s.Phases[0].Reads = true, true
		}, "a script reported it"},
		"mixed": {func(s *Sample) { s.Phases[0].Mixed = true }, ""},
		"read and mixed": {func(s *Sample) {
			s.Phases[0].Mixed, s.Phases[0].Reads = true, true
		}, "it reads, and reads and writes"},
		"read as well": {func(s *Sample) { s.Read = &s.Phases[0].Operation }, "read or write as well"},
		"too many": {func(s *Sample) {
			for i := range MaxPhases {
				s.Phases = append(s.Phases, aPhase("p"+strings.Repeat("x", i)))
			}
		}, "more than 32"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := Sample{Phases: []Phase{aPhase("create")}}
			tt.change(&s)
			err := checkPhases(s)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// What is recorded one by one, in whatever parts, is a distribution that contradicts itself nowhere.
func TestRecorder(t *testing.T) {
	var all, left, right Recorder
	if diff := cmp.Diff(Latency{}, all.Latency()); diff != "" {
		t.Errorf("of nothing (-want +got):\n%s", diff)
	}
	for i := range int64(10000) {
		n := i * i * 7
		all.Record(n)
		if i%3 == 0 {
			left.Record(n)
		} else {
			right.Record(n)
		}
	}
	left.Add(&right)
	left.Add(&Recorder{})
	got := all.Latency()
	// sums of fractions depend on their order
	if diff := cmp.Diff(got, left.Latency(), cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Errorf("in parts (-whole +parts):\n%s", diff)
	}
	if err := got.check(); err != nil || got.Count != 10000 || got.MinNanoseconds != 0 ||
		got.MaxNanoseconds != 9999*9999*7 {
		t.Errorf("%v, %+v", err, got)
	}
	const median = 5000 * 5000 * 7
	if d := float64(got.P50Nanoseconds)/median - 1; d < -0.02 || d > 0.02 {
		t.Errorf("median %d, want about %d", got.P50Nanoseconds, median)
	}
	if d := got.MeanNanoseconds/(7*9999*19999/6.0) - 1; d < -1e-6 || d > 1e-6 {
		t.Errorf("mean %v", got.MeanNanoseconds)
	}
	var one Recorder
	one.Record(-5)
	if l := one.Latency(); l.check() != nil || l.Count != 1 || l.MaxNanoseconds != 0 {
		t.Errorf("%+v", l)
	}
}

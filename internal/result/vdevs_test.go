// SPDX-License-Identifier: Apache-2.0

package result

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func makeVdevs(count int) []Vdev {
	vdevs := make([]Vdev, count)
	for i := range vdevs {
		n := int64(i + 1)
		waits := func() *Waits {
			n *= 7
			return &Waits{Requests: n * 12345, MeanNanoseconds: n * 6789, P50AtMostNanoseconds: 1<<20 - 1,
				P95AtMostNanoseconds: 1<<22 - 1, P99AtMostNanoseconds: 1<<22 - 1}
		}
		vdevs[i] = Vdev{Name: "d0", Device: true, Read: waits(), Write: waits(), DiskRead: waits(), DiskWrite: waits()}
	}
	return vdevs
}

// What a runner says of vdevs is held to what is possible.
func TestVdevsAreChecked(t *testing.T) {
	tests := map[string]struct {
		change func(*Sample)
		want   string
	}{
		"possible":                {func(*Sample) {}, ""},
		"as many as may be":       {func(s *Sample) { s.Vdevs, s.OmittedVdevs = makeVdevs(MaxVdevs), 3 }, ""},
		"more":                    {func(s *Sample) { s.Vdevs = makeVdevs(MaxVdevs + 1) }, "more than 16 vdevs"},
		"omitted without need":    {func(s *Sample) { s.OmittedVdevs = 1 }, "1 are omitted beside 1"},
		"no requests to a device": {func(s *Sample) { s.Vdevs[0].DiskRead = nil }, ""},
		"waits of no requests":    {func(s *Sample) { s.Vdevs[0].Read.Requests = 0 }, "d0: 0 requests"},
		"no time at all":          {func(s *Sample) { s.Vdevs[0].Write.MeanNanoseconds = 0 }, "took 0 ns"},
		"a negative number":       {func(s *Sample) { s.Vdevs[0].Write.MeanNanoseconds = -1 }, "negative"},
		"no end of a bucket": {func(s *Sample) {
			s.Vdevs[0].DiskWrite.P50AtMostNanoseconds = 1000
		}, "1000 ns is no end"},
		"no percentile":           {func(s *Sample) { s.Vdevs[0].DiskWrite.P50AtMostNanoseconds = 0 }, "0 ns is no end"},
		"percentiles in disorder": {func(s *Sample) { s.Vdevs[0].DiskWrite.P95AtMostNanoseconds = 1<<10 - 1 }, "1023 ns is"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			trial := makeTrial(1, 10)
			trial.Samples[0].Vdevs = makeVdevs(1)
			test.change(&trial.Samples[0])
			data, err := EncodeTrial(trial)
			if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Fatalf("encode: %v, want %q", err, test.want)
			}
			if err != nil {
				return
			}
			got, err := DecodeTrial(data, 1)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(trial.Samples[0].Vdevs, got.Samples[0].Vdevs); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Vdevs make way for the histograms of what was measured, unless these are finer than they need to be.
func TestVdevsThatDoNotFit(t *testing.T) {
	trial := makeLargeTrial(1)
	trial.Samples[0].Vdevs, trial.Samples[0].OmittedVdevs = makeVdevs(MaxVdevs), 1
	whole, err := EncodeTrial(trial)
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{len(whole), len(whole) / 2, len(whole) / 4} {
		data, err := EncodeTrialWithin(trial, limit)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeTrial(data, 1)
		if err != nil {
			t.Fatal(err)
		}
		s := got.Samples[0]
		if bits := s.Read.Latency.Histogram.Bits; (len(s.Vdevs) == MaxVdevs &&
			s.OmittedVdevs == 1) != (bits >= minBitsBesideVdevs) || s.Vdevs == nil && s.OmittedVdevs != 0 {
			t.Errorf("%d bytes: %d vdevs beside %d bits", limit, len(s.Vdevs), bits)
		}
	}
}

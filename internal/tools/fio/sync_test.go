// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"bytes"
	"testing"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// TestParseSyncs: each call of fdatasync counts once, as an operation without bytes over the time of the writes. The
// captured job wrote 15,535 times in three seconds after its ramp, and synced at its end.
func TestParseSyncs(t *testing.T) {
	report, err := ParseOutput(bytes.NewReader(fixture(t, "fio-3.33-fdatasync.json")))
	if err != nil {
		t.Fatal(err)
	}
	s, err := report.Sample(syncing())
	if err != nil {
		t.Fatal(err)
	}
	o := s.Operation("sync")
	if o == nil {
		t.Fatal("the sample has no sync")
	}
	if o.IOs != 15535 || o.IOs != s.Write.IOs || o.Bytes != 0 || o.RuntimeNanoseconds != s.Write.RuntimeNanoseconds {
		t.Errorf("sync %d I/O, %d bytes, %d ns; write %+v", o.IOs, o.Bytes, o.RuntimeNanoseconds, *s.Write)
	}
	if l := o.Latency; l.P99Nanoseconds != 5275648 || l.Histogram.Count() != 15535 || l.MaxNanoseconds != 18565250 {
		t.Errorf("p99 %d ns, max %d ns, %d in the histogram", l.P99Nanoseconds, l.MaxNanoseconds, l.Histogram.Count())
	}
	if got := o.Rate(); got < 5176 || got > 5177 {
		t.Errorf("%v syncs per second", got)
	}
	if !s.IsPart("sync") || s.IsPart("write") || s.BytesWritten() != s.Write.Bytes {
		t.Errorf("sync counts as a part %v, write %v; %d bytes written", s.IsPart("sync"), s.IsPart("write"),
			s.BytesWritten())
	}
}

// TestNoSyncs: fio's section for them is always there, and empty for a job that syncs only at its end.
func TestNoSyncs(t *testing.T) {
	for _, name := range []string{"fio-3.39-write.json", "fio-3.39-randwrite-dsync.json", "fio-3.39-read.json"} {
		report, err := ParseOutput(bytes.NewReader(fixture(t, name)))
		if err != nil || report.Jobs[0].Sync != nil {
			t.Errorf("%s: sync %+v, error %v", name, report.Jobs[0].Sync, err)
		}
	}
}

// TestSyncsTogether: syncs of jobs that ran at once, and of rounds, are merged like their writes.
func TestSyncsTogether(t *testing.T) {
	report, err := ParseOutput(bytes.NewReader(fixture(t, "fio-3.33-fdatasync.json")))
	if err != nil {
		t.Fatal(err)
	}
	one := report.Jobs[0]
	w := v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, Fdatasync: 1, Jobs: []v1alpha1.FioJob{{Name: "a"}, {Name: "b"}}}
	a, b := one, one
	a.Name, b.Name = "a", "b"
	s, err := Report{Jobs: []Job{a, b}}.Sample(w)
	if err != nil {
		t.Fatal(err)
	}
	if s.Sync.IOs != 2*one.Sync.IOs || s.Sync.Latency.Histogram.Count() != 2*one.Sync.IOs || !s.IsPart("aSync") {
		t.Errorf("both jobs %+v", s.Sync)
	}
	if s.Operation("bSync").IOs != one.Sync.IOs {
		t.Errorf("one job %+v", s.Operation("bSync"))
	}
	round := result.Sample{Started: time.Unix(1, 0), Write: one.Write, Sync: one.Sync}
	if all := InRounds([]result.Sample{round, round}); all.Sync.IOs != 2*one.Sync.IOs ||
		all.Sync.RuntimeNanoseconds != 2*one.Sync.RuntimeNanoseconds {
		t.Errorf("two rounds %+v", all.Sync)
	}
}

// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"bytes"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/toolreport"
)

// captured are the clients of the job file and of the captured report of that name.
func captured() v1alpha1.FioWorkload {
	return v1alpha1.FioWorkload{
		RW: v1alpha1.FioWrite, BS: "128k", Size: resource.MustParse("16Mi"), Jobs: []v1alpha1.FioJob{
			{Name: "backup", Rate: of(resource.MustParse("4Mi"))},
			{Name: "client", StartDelay: seconds(1), RW: v1alpha1.FioRandRW, BS: "16k", NumJobs: 3,
				Size: of(resource.MustParse("2Mi")), RateIOPS: 50},
			{Name: "reader", StartDelay: seconds(2), RW: v1alpha1.FioRead, NumJobs: 2, Size: of(resource.MustParse("4Mi"))},
		},
	}
}

// TestSampleOfSeveralJobs holds the captured report against what the jobs were to do, and all of them against each.
func TestSampleOfSeveralJobs(t *testing.T) {
	report, err := ParseOutput(bytes.NewReader(fixture(t, "fio-3.39-clients.json")))
	if err != nil {
		t.Fatal(err)
	}
	s, err := report.Sample(captured())
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, p := range s.Operations() {
		names = append(names, p.Name)
		if err := p.Check(); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if diff := cmp.Diff([]string{"read", "write", "backupWrite", "clientRead", "clientWrite", "readerRead"},
		names); diff != "" {
		t.Fatalf("operations (-want +got):\n%s", diff)
	}
	backup, client, reader := s.Jobs[0].Write, s.Jobs[1], s.Jobs[2].Read
	if backup.Bytes != 16<<20 || client.Read.Bytes+client.Write.Bytes != 3*2<<20 || reader.Bytes != 2*4<<20 {
		t.Errorf("%d, %d and %d, %d bytes", backup.Bytes, client.Read.Bytes, client.Write.Bytes, reader.Bytes)
	}
	// 4 MiB/s, and 50 I/O per second for each of three processes in each direction.
	if r := backup.BandwidthBytesPerSecond / (4 << 20); math.Abs(r-1) > 0.05 {
		t.Errorf("the backup did %v of its rate", r)
	}
	if r := (client.Read.IOPS + client.Write.IOPS) / (3 * 2 * 50); r > 1.05 || r < 0.5 {
		t.Errorf("the client did %v of its rate", r)
	}
	// The backup begins at once and is the last to end; the client reads from its delay on.
	if s.Write.RuntimeNanoseconds != backup.RuntimeNanoseconds {
		t.Errorf("all wrote for %d ns, the backup for %d", s.Write.RuntimeNanoseconds, backup.RuntimeNanoseconds)
	}
	if want := max(client.Read.RuntimeNanoseconds,
		time.Second.Nanoseconds()+reader.RuntimeNanoseconds); s.Read.RuntimeNanoseconds != want {
		t.Errorf("all read for %d ns, want %d", s.Read.RuntimeNanoseconds, want)
	}
	if s.Read.Latency.Histogram.Count() != s.Read.IOs {
		t.Errorf("the histogram has %d of %d reads", s.Read.Latency.Histogram.Count(), s.Read.IOs)
	}
}

func TestSampleOfOtherJobs(t *testing.T) {
	report, err := ParseOutput(bytes.NewReader(fixture(t, "fio-3.39-clients.json")))
	if err != nil {
		t.Fatal(err)
	}
	renamed, fewer := captured(), captured()
	renamed.Jobs[1].Name = "other"
	fewer.Jobs = fewer.Jobs[:2]
	for name, w := range map[string]v1alpha1.FioWorkload{"another name": renamed, "fewer": fewer,
		"only one": {RW: v1alpha1.FioWrite}} {
		var format *toolreport.FormatError
		if _, err := report.Sample(w); !errors.As(err, &format) {
			t.Errorf("%s: got %v, want a FormatError", name, err)
		}
	}
}

func TestTogether(t *testing.T) {
	did := func(bytes int64, runtime time.Duration) *result.Operation {
		return &result.Operation{Bytes: bytes, IOs: bytes / 10, RuntimeNanoseconds: runtime.Nanoseconds()}
	}
	tests := map[string]struct {
		parts []part
		want  *result.Operation
	}{
		"nothing": {[]part{{0, nil}, {time.Second, nil}}, nil},
		"one": {[]part{{5 * time.Second, did(100, 2*time.Second)}},
			&result.Operation{Bytes: 100, IOs: 10, RuntimeNanoseconds: 2e9, BandwidthBytesPerSecond: 50, IOPS: 5}},
		"overlapping": {[]part{{time.Second, did(100, 5*time.Second)}, {0, did(300, 4*time.Second)}},
			&result.Operation{Bytes: 400, IOs: 40, RuntimeNanoseconds: 6e9, BandwidthBytesPerSecond: 400. / 6, IOPS: 40. / 6}},
		"a gap": {[]part{{0, did(100, time.Second)}, {9 * time.Second, did(100, time.Second)}},
			&result.Operation{Bytes: 200, IOs: 20, RuntimeNanoseconds: 10e9, BandwidthBytesPerSecond: 20, IOPS: 2}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, together(tt.parts), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

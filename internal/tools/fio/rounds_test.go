// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"bytes"
	"math"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// Two rounds of a captured report are twice as much in twice the time: the same rates and latencies.
func TestInRounds(t *testing.T) {
	report, err := ParseOutput(bytes.NewReader(fixture(t, "fio-3.39-randrw.json")))
	if err != nil {
		t.Fatal(err)
	}
	one, err := report.Sample(v1alpha1.FioWorkload{})
	if err != nil {
		t.Fatal(err)
	}
	one.NodeCPUSeconds, one.DeviceReadBytes, one.DeviceWrites, one.Others = 3, 1000, 7,
		&result.Others{CPUSeconds: 2, DiskBytes: 5}
	second := one
	second.JobFile = "the last"
	got := InRounds([]result.Sample{one, second})
	if got.Read.Bytes != 2*one.Read.Bytes || got.Write.IOs != 2*one.Write.IOs ||
		got.RuntimeNanoseconds != 2*one.RuntimeNanoseconds || got.Read.Latency.Count != 2*one.Read.Latency.Count {
		t.Errorf("read %+v, write %+v", got.Read, got.Write)
	}
	if got.NodeCPUSeconds != 6 || got.DeviceReadBytes != 2000 || got.DeviceWrites != 14 || got.Others.CPUSeconds != 4 ||
		got.Others.DiskBytes != 10 || got.JobFile != "the last" {
		t.Errorf("%+v", got)
	}
	if got.Read.Latency.P99Nanoseconds != one.Read.Latency.P99Nanoseconds ||
		math.Abs(got.Read.IOPS/one.Read.IOPS-1) > 0.01 || math.Abs(IOPS(got)/IOPS(one)-1) > 0.01 {
		t.Errorf("%v IOPS in two rounds, %v in one", IOPS(got), IOPS(one))
	}
	if err := got.Read.Check(); err != nil {
		t.Error(err)
	}
	one.Others = nil
	if got := InRounds([]result.Sample{second, one}); got.Others != nil {
		t.Errorf("others of which one round knows nothing: %+v", got.Others)
	}
}

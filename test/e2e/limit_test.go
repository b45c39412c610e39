// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/bottleneck"
)

// TestLimitingFactors builds three workloads whose limits are known: a compression that is too much for the CPUs, one
// slow disk of two, and writes that wait for the ZIL of a pool without a log. Where disks cannot be throttled only the
// first is certain.
func TestLimitingFactors(t *testing.T) {
	studies(t)
	t.Run("cpu", func(t *testing.T) {
		b := newBenchmark("limit-cpu").disks(v1alpha1.VdevStripe, 2).property("compression", "gzip-9").fio("write",
			v1alpha1.FioWrite, "128k", "128Mi")
		assertLimit(t, b, bottleneck.CPU)
	})
	if _, _, err := devNode(t); err != nil {
		t.Skipf("the disks cannot be throttled: %v", err)
	}
	t.Run("device", func(t *testing.T) {
		const slow, fast = 4 << 20, 128 << 20
		throttle(t, fast, suite.disks[0])
		throttle(t, slow, suite.disks[1])
		// long enough for the first seconds, which only fill memory, not to count
		b := newBenchmark("limit-device").disks(v1alpha1.VdevMirror, 2).property("compression", "off").fio("write",
			v1alpha1.FioWrite, "128k", "256Mi")
		assertLimit(t, b, bottleneck.Device, "d1")
	})
	t.Run("sync", func(t *testing.T) {
		const slow = 1 << 20 // so that the commits, and not the emulated CPUs, take the time
		throttle(t, slow, suite.disks[0])
		b := newBenchmark("limit-sync").disks(v1alpha1.VdevStripe, 1).property("sync", "always").property("compression",
			"off").fio("write", v1alpha1.FioRandWrite, "4k", "8Mi")
		assertLimit(t, b, bottleneck.Sync)
	})
}

// assertLimit runs a benchmark of one workload and finds its limit in every document, with its time series on the node.
func assertLimit(t *testing.T, b benchmark, want bottleneck.Factor, devices ...string) {
	t.Helper()
	obj := b.apply(t)
	awaitTrials(t, obj)
	got := awaitComplete(t, obj)
	docs := readDocuments(t, got)
	t.Logf("summary.md:\n%s", docs.summary)
	sample := docs.trials[0].Samples[0]
	found := bottleneck.Find(sample)
	if found.Factor != want || !slices.Equal(found.Devices, devices) || found.Evidence == "" {
		t.Errorf("limited by %s (%s), want %s %v; monitors %+v", found, found.Evidence, want, devices, sample.Monitors)
	}
	m := sample.Monitors
	if m == nil || m.CPU == nil || m.Memory == nil || m.ARC == nil || m.ZIL == nil || m.Txgs == nil ||
		m.Transactions == nil || len(m.Devices) != len(obj.Spec.Devices) {
		t.Fatalf("monitors %+v", m)
	}
	if m.Observations < 2 || m.Txgs.Synced == 0 || m.Transactions.Assigned == 0 ||
		m.Devices[0].WrittenBytesPerSecond == 0 {
		t.Errorf("monitors %+v: %+v, %+v, %+v", m, m.Txgs, m.Transactions, m.Devices)
	}
	assertVdevs(t, sample, len(obj.Spec.Devices), devices)
	if r := got.Status.Results; len(r) != 1 || r[0].LimitingFactor != found.String() {
		t.Errorf("status %+v", r)
	}
	if !strings.Contains(docs.summary, "## What limited the workloads") {
		t.Error("summary.md does not say what limited the workload")
	}
	series := onNode(t, "sh", "-c", "gzip -dc /var/lib/zfsbench/series/"+string(got.UID)+"/trial-00000-write.json.gz")
	for _, column := range []string{`"time"`, `"cpu/busy"`, `"arc/size"`, `"zil/commits"`, `"txg/sync"`,
		`"device/d0/utilization"`} {
		if !strings.Contains(series, column) {
			t.Errorf("the time series has no column %s", column)
		}
	}
	remove(t, obj)
	assertNothingLeft(t, obj)
}

// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestNodeNotQuiet lets half of the node's CPUs do something else while a workload runs.
func TestNodeNotQuiet(t *testing.T) {
	studies(t)
	const workload = "timed-write"
	obj := newBenchmark("not-quiet").disks(v1alpha1.VdevStripe, 1).fio(workload, v1alpha1.FioWrite, "128k", seqSize(),
		timeBased(30*time.Second)).apply(t)
	awaitWorkload(t, obj, workload)
	keepBusy(t)
	got := awaitComplete(t, obj)
	docs := readDocuments(t, got)

	others := docs.first(t).Samples[0].Others
	if others == nil || others.CPUSeconds <= 0 || others.CapacityCPUSeconds <= others.CPUSeconds ||
		others.ElapsedSeconds < 25 {
		t.Fatalf("what the node did for others: %+v", others)
	}
	t.Logf("what the node did for others: %+v", *others)
	if !warns(docs.json.Warnings, v1alpha1.ConditionNodeNotQuiet, workload) ||
		!strings.Contains(docs.summary, v1alpha1.ConditionNodeNotQuiet) {
		t.Errorf("no warning in %+v, summary.md:\n%s", docs.json.Warnings, docs.summary)
	}
	c := meta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionNodeNotQuiet)
	if c == nil || c.Status != "True" || !strings.Contains(c.Message, "other processes") {
		t.Errorf("condition %+v", c)
	}
}

// keepBusy runs a loop on every second CPU of the node until the test ends.
func keepBusy(t *testing.T) {
	t.Helper()
	const loops = `for i in $(seq $((($(nproc) + 1) / 2))); do timeout 300 sh -c 'while :; do :; done' zfsbench-e2e-load & done; wait`
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		cancel()
		// The end of the stream does not end what runs in it. The brackets keep the pattern from meaning pkill itself.
		if out, err := suite.shell.run(context.Background(), "pkill", "-f", "zfsbench-e2e-loa[d]"); err != nil {
			t.Logf("end the loops: %v %s", err, out)
		}
	})
	go func() { _, _ = suite.shell.run(ctx, "sh", "-c", loops) }()
}

// isQuiet says whether a node on which nothing of the tests runs leaves enough of its CPUs' time idle. An emulated one
// may be busy with its own services.
func isQuiet(t *testing.T) bool {
	t.Helper()
	const window, enough = 20 * time.Second, 0.92
	idleBefore, allBefore := cpuTicks(t)
	time.Sleep(window)
	idle, all := cpuTicks(t)
	fraction := (idle - idleBefore) / (all - allBefore)
	t.Logf("the node is idle for %.3f of the time", fraction)
	return fraction >= enough
}

// cpuTicks are the node's idle time, waiting for I/O included, and all time of its CPUs since boot.
func cpuTicks(t *testing.T) (idle, all float64) {
	t.Helper()
	first, _, _ := strings.Cut(onNode(t, "cat", "/proc/stat"), "\n")
	for i, field := range strings.Fields(first)[1:9] {
		ticks, err := strconv.ParseFloat(field, 64)
		if err != nil {
			t.Fatal(err)
		}
		all += ticks
		if i == 3 || i == 4 {
			idle += ticks
		}
	}
	return idle, all
}

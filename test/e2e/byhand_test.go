// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

// agreement is how far the product's number may be from what fio run by hand measures. On a quiet host the ratio is
// 1.0; the rest is for a busy one.
const agreement = 2.0

// slowDisk is a rate, in bytes per second, that even a busy emulated node on a slow host can fill: the throttled disks
// alone decide how fast the workload is. Beside a compiler the host decided at 4 MiB/s: the ratio was 0.46. A slower
// disk makes the checks take minutes, which read samples of it.
const slowDisk = 3 << 20

// TestAgreesWithFioByHand measures a mirror with the product and then by hand: the same pool made with zpool, the very
// job file from the results run with fio.
func TestAgreesWithFioByHand(t *testing.T) {
	obj := newBenchmark("by-hand").disks(v1alpha1.VdevMirror, 2).property("compression", "off").
		fio("sync-write", v1alpha1.FioWrite, "128k", "18Mi", synced).apply(t)
	// Zeroing the disks after fio ran by hand must not be throttled, and comes before the test's clean-up looks at the
	// node.
	t.Cleanup(func() { blank(t, suite.disks[:2]...) })
	throttle(t, slowDisk, suite.disks[:2]...)
	sample := readDocuments(t, awaitComplete(t, obj)).first(t).Samples[0]
	awaitNoPods(t, obj)
	product, byHand := sample.Write, runByHand(t, sample.JobFile)

	if product.Bytes != byHand.bytes {
		t.Errorf("the product wrote %d bytes, by hand it was %d", product.Bytes, byHand.bytes)
	}
	ratio := product.BandwidthBytesPerSecond / byHand.bandwidth
	t.Logf("product %.0f B/s, by hand %.0f B/s, ratio %.2f", product.BandwidthBytesPerSecond, byHand.bandwidth, ratio)
	if ratio > agreement || ratio < 1/agreement {
		t.Errorf("product and fio by hand are more than a factor of %.1f apart", agreement)
	}
}

// awaitNoPods waits until the benchmark's pods are gone: an emulated node is busy for a while with taking them apart.
func awaitNoPods(t *testing.T, obj *v1alpha1.ZfsBenchmark) {
	t.Helper()
	await(t, obj.Name+": no pods", func() (bool, error) {
		pods := &corev1.PodList{}
		err := suite.client.List(context.Background(), pods, client.InNamespace(runnerNamespace),
			client.MatchingLabels{v1alpha1.LabelBenchmarkUID: string(obj.UID)})
		return len(pods.Items) == 0, err
	}, func() string { return describe(obj) })
}

// measurement is what is compared.
type measurement struct {
	bytes     int64
	bandwidth float64
}

// runByHand makes the pool with zpool on the same disks, mounts it in the shell's pod, runs the job file with fio and
// destroys the pool.
func runByHand(t *testing.T, jobFile string) measurement {
	t.Helper()
	const pool = "byhand"
	first, second := suite.disks[0], suite.disks[1]
	onNode(t, "zpool", "create", "-m", "none", "-o", "cachefile=none", "-O", "mountpoint=legacy", "-O", "compression=off",
		pool,
		"mirror", first.path, second.path)
	defer onNode(t, "zpool", "destroy", pool)
	inPod(t, "mkdir", "-p", "/target", "/out")
	inPod(t, "mount", "-t", "zfs", pool, "/target")
	defer inPod(t, "umount", "/target")
	inPod(t, "sh", "-c", "printf %s \"$0\" > /out/job.fio", jobFile)
	inPod(t, "fio", "--output=/out/fio.json", "--output-format=json+", "/out/job.fio")
	return readByHand(t, inPod(t, "cat", "/out/fio.json"))
}

// readByHand reads the two numbers from fio's report, on purpose without the product's own parser.
func readByHand(t *testing.T, output string) measurement {
	t.Helper()
	var report struct {
		Jobs []struct {
			Write struct {
				IOBytes int64   `json:"io_bytes"`
				BWBytes float64 `json:"bw_bytes"`
			} `json:"write"`
		} `json:"jobs"`
	}
	if err := json.Unmarshal([]byte(output), &report); err != nil || len(report.Jobs) != 1 {
		t.Fatalf("fio by hand: %d jobs, %v:\n%s", len(report.Jobs), err, output)
	}
	return measurement{bytes: report.Jobs[0].Write.IOBytes, bandwidth: report.Jobs[0].Write.BWBytes}
}

// inPod runs a command in the shell's pod and fails the test if it fails.
func inPod(t *testing.T, argv ...string) string {
	t.Helper()
	out, err := suite.shell.runInPod(context.Background(), argv...)
	if err != nil {
		t.Fatalf("in the pod: %v", err)
	}
	return out
}

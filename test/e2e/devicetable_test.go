// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"zfsbench.io/operator/hack/devcluster/cluster"
)

// TestDeviceTable puts a small disk of the node into every state in which it is not the benchmark's. It prints how many
// states it tried, and how many losses there were.
func TestDeviceTable(t *testing.T) {
	runNodeTests(t, "TestNode(DeviceTable|ForeignContent|SwappedLink|TwoPaths|Discard|GenericDevices|Reservation|Scan)",
		smallDisk)
}

// TestDeviceStaleSignature finds nothing old in new partitions, on a disk that has room for two.
func TestDeviceStaleSignature(t *testing.T) { runNodeTests(t, "TestNodeStale", 2*smallDisk) }

// TestDeviceCrashes takes a disk and gives it back, with and without stopping half-way.
func TestDeviceCrashes(t *testing.T) {
	if os.Getenv("ZFSBENCH_E2E_FAULTS") == "" {
		t.Skip("it takes minutes, and is asked for like the faults: ZFSBENCH_E2E_FAULTS")
	}
	log, began := openFaultLog(t), time.Now()
	if log.passed(deviceCrashes()) {
		t.Skip("a row of ZFSBENCH_E2E_FAULT_LOG has it already")
	}
	t.Cleanup(func() {
		if t.Skipped() {
			return
		}
		outcome := "disk blank"
		if t.Failed() {
			outcome = "the test failed"
		}
		log.add(t, deviceCrashes(), outcome, !t.Failed(), time.Since(began))
	})
	runNodeTests(t, "TestNode(Lifecycle|Crash)", smallDisk)
}

// smallDisk makes the tests quick, because they read the whole disk again and again.
const smallDisk = 80 << 20

// runNodeTests runs the tests of the guard that need a real disk (build tag node of internal/storage/blockdev) on the
// node, on a small disk of their own.
func runNodeTests(t *testing.T, pattern string, sizeBytes int64) {
	t.Helper()
	_, node, err := devNode(t)
	if err != nil {
		t.Skipf("the tests of the guard need the development cluster, which can plug a disk in for them: %v", err)
	}
	disk, err := node.AddDisk(t.Context(), cluster.Disk{Name: "table", SizeBytes: sizeBytes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := node.RemoveDisk(context.Background(), disk.Name, true); err != nil {
			t.Error(err)
		}
	})
	const program = "/var/lib/zfsbench-e2e-blockdev.test"
	if err := node.CopyFile(t.Context(), buildNodeTests(t), program); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { onDevNode(t, node, "rm -f "+program) })
	_, _, err = node.Run(t.Context(), cluster.Command{
		Args: []string{"env", "ZFSBENCH_NODE_DISK=" + disk.DevicePath(), program, "-test.v", "-test.timeout=20m",
			"-test.run=" + pattern},
		Stdout: os.Stdout, Stderr: os.Stderr,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// buildNodeTests compiles the tests for the node.
func buildNodeTests(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "blockdev.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags", "node", "-ldflags", "-s -w", "-o", program)
	build.Dir = filepath.Join("..", "..", "internal", "storage", "blockdev")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the tests: %v\n%s", err, out)
	}
	return program
}

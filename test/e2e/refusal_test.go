// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestSignedDeviceIsRefused offers a disk with an ext4 filesystem: the message names device and signature, and not a
// byte of it changes.
func TestSignedDeviceIsRefused(t *testing.T) {
	signed := suite.disks[0]
	onNode(t, "mkfs.ext4", "-q", "-F", "-E", "nodiscard", signed.path)
	// Before the test's clean-up looks at the node.
	defer blank(t, signed)
	unchanged := remember(t, signed)

	reason, message := awaitFailed(t, newBenchmark("signed").disks(v1alpha1.VdevMirror, 2).seqWrite().apply(t))
	if reason != v1alpha1.ReasonDeviceRefused {
		t.Errorf("reason is %s, want %s", reason, v1alpha1.ReasonDeviceRefused)
	}
	for _, want := range []string{signed.path, "ext4"} {
		if !strings.Contains(message, want) {
			t.Errorf("message %q does not name %s", message, want)
		}
	}
	unchanged()
}

// TestDeviceWithoutPolicyWaits uses a disk that no policy offers: the benchmark waits, says which policy it needs, and
// runs once that exists. It is a dry run: the preflight alone, which writes nothing on a disk that is usable.
func TestDeviceWithoutPolicyWaits(t *testing.T) {
	free := suite.disks[len(suite.disks)-1]
	unchanged := remember(t, free)
	b := newBenchmark("no-policy").onDisks(v1alpha1.VdevStripe, free).seqWrite()
	b.obj.Spec.DryRun = true
	obj := b.apply(t)
	assertWaitsForPolicy(t, obj, v1alpha1.ReasonNoPolicy, "BenchmarkDevicePolicy", free.path, suite.node.Name,
		string(suite.node.UID), benchNamespace)
	suite.offer(t, "e2e-late", free)
	complete := meta.FindStatusCondition(awaitComplete(t, obj).Status.Conditions, v1alpha1.ConditionComplete)
	if complete.Reason != v1alpha1.ReasonDryRunPassed {
		t.Errorf("reason is %s, want %s", complete.Reason, v1alpha1.ReasonDryRunPassed)
	}
	unchanged()
}

// assertWaitsForPolicy waits until the benchmark is not accepted for this reason, and wants the message to hold all of
// these words.
func assertWaitsForPolicy(t *testing.T, obj *v1alpha1.ZfsBenchmark, reason string, words ...string) {
	t.Helper()
	waiting := awaitBenchmark(t, obj, "waits for a policy", func(b *v1alpha1.ZfsBenchmark) bool {
		accepted := meta.FindStatusCondition(b.Status.Conditions, v1alpha1.ConditionAccepted)
		return accepted != nil && accepted.Status == "False" && accepted.Reason == reason
	})
	message := meta.FindStatusCondition(waiting.Status.Conditions, v1alpha1.ConditionAccepted).Message
	for _, want := range words {
		if !strings.Contains(message, want) {
			t.Errorf("message %q does not name %s", message, want)
		}
	}
}

// TestWhatDoesNotFitIsRefused: the preflight knows that a volume is larger than the pool will be.
func TestWhatDoesNotFitIsRefused(t *testing.T) {
	obj := newBenchmark("too-large").files(1, "128Mi").volume("512Mi").seqWrite().apply(t)
	reason, message := awaitFailed(t, obj)
	if reason != v1alpha1.ReasonPreflightFailed ||
		!strings.Contains(message, "it needs larger devices, or smaller workloads") {
		t.Errorf("failed with %s %q, want %s about the space", reason, message, v1alpha1.ReasonPreflightFailed)
	}
}

// TestDryRunFindsEverything runs the preflight alone, on a usable and on a refused disk: status says of each whether it
// is usable, and nothing is written.
func TestDryRunFindsEverything(t *testing.T) {
	signed := suite.disks[0]
	onNode(t, "mkfs.ext4", "-q", "-F", "-E", "nodiscard", signed.path)
	// Before the test's clean-up looks at the node.
	defer blank(t, signed)
	unchanged := remember(t, suite.disks[:2]...)

	b := newBenchmark("dry-run-refused").disks(v1alpha1.VdevMirror, 2).seqWrite()
	b.obj.Spec.DryRun = true
	got := awaitFinished(t, b.apply(t))
	devices := got.Status.Devices
	if len(devices) != 2 || devices[0].Name != "d0" || devices[0].Usable ||
		!strings.Contains(devices[0].Message, "ext4") || !devices[1].Usable {
		t.Errorf("status.devices is %+v, want d0 refused for ext4 and d1 usable", devices)
	}
	if got.Status.Summary == nil || got.Status.Summary.Progress != "dry run" {
		t.Errorf("the columns are %+v", got.Status.Summary)
	}
	unchanged()
}

// onNode runs a command on the node and fails the test if it fails.
func onNode(t *testing.T, argv ...string) string {
	t.Helper()
	out, err := suite.shell.run(context.Background(), argv...)
	if err != nil {
		t.Fatalf("on the node: %v", err)
	}
	return out
}

// remember asks the kernel how much was ever written to or discarded on some disks, and returns what asks again: a disk
// to which nothing was written holds what it held. (The device table compares every byte, on a disk that is small
// enough for an emulated node.)
func remember(t *testing.T, disks ...disk) (unchanged func()) {
	t.Helper()
	counters := func() string {
		argv := []string{
			"sh", "-c", `sync; for disk; do awk -v disk="$disk" '{print disk, $5, $7, $12, $14}' "/sys/block/$(basename "$(readlink -f "$disk")")/stat"; done`, "sh",
		}
		for _, d := range disks {
			argv = append(argv, d.path)
		}
		return onNode(t, argv...)
	}
	before := counters()
	return func() {
		t.Helper()
		if after := counters(); after != before {
			t.Errorf("a disk was written to (writes, sectors, discards, sectors):\nbefore %s\nafter  %s", before, after)
		}
	}
}

// blank makes disks that a test has written to blank again: all of them, because the guard also refuses data without a
// signature.
func blank(t *testing.T, disks ...disk) {
	t.Helper()
	// Discarding zeroes the development cluster's disks at once; others are written to. udev may answer late on an
	// emulated node.
	script := `set -e
for disk; do
  blkdiscard -q -f "$disk" || blkdiscard -q -f -z "$disk"
  blockdev --rereadpt "$disk"
done
udevadm settle || udevadm settle || udevadm settle`
	argv := []string{"sh", "-c", script, "sh"}
	for _, d := range disks {
		argv = append(argv, d.path)
	}
	onNode(t, argv...)
}

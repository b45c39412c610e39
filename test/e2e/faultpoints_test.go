// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/hack/devcluster/cluster"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// faultPoint is a moment in the life of a runner, in the second of two repetitions.
type faultPoint struct {
	name string
	// hold stops the runner there; without one, step says which step is under way, and goes on.
	hold *hold
	step string
	// workload is long enough to be met at the step; without one, it is short. From the second repetition on the disks do
	// throttle bytes per second, if that is not 0, which makes the step longer.
	workload func(benchmark, []disk) benchmark
	throttle int64
	// pool says that the benchmark's pool exists there.
	pool bool
}

// hold stops a tool of the node's own at a call. The runner waits for it as for a slow disk.
type hold struct {
	tool string
	// pattern is an extended regular expression for the arguments, nth counts the matching calls from 1.
	pattern string
	nth     int
	when    holdWhen
}

// holdWhen is where in its call a tool is held.
type holdWhen string

const (
	// holdBefore it does anything.
	holdBefore holdWhen = "before"
	// holdDuring what it does: it has begun, and has the time that it takes, but does not return.
	holdDuring holdWhen = "during"
	// holdAfter it has done it.
	holdAfter holdWhen = "after"
)

// poolPoints are in the order in which a runner reaches them. A disk's labels are read with zdb by the preflight, when
// it is claimed, and right before it is partitioned. A trial's pool is exported once for its cold workload, once to be
// taken away, and once more after the last look at it.
func poolPoints() []faultPoint {
	create, export := "^create (-[^n]|[^-])*$", "^export "
	return []faultPoint{
		{name: "before partitioning", hold: &hold{"zdb", "^-l /dev/vd[a-z]+$", 5, holdBefore}},
		{name: "before create", hold: &hold{"zpool", create, 2, holdBefore}},
		{name: "between create and record", hold: &hold{"zpool", create, 2, holdAfter}, pool: true},
		{name: "during fill", step: stepLayOut, workload: reads("128Mi", time.Second), throttle: 16 << 20, pool: true},
		{name: "during fio", step: stepWorkload, workload: reads("4Mi", 10*time.Second), pool: true},
		{name: "during destroy", hold: &hold{"zpool", export, 5, holdBefore}, pool: true},
		{name: "while writing results", hold: &hold{"zpool", export, 6, holdAfter}},
	}
}

// The runner's names for steps.
const stepLayOut, stepWorkload, stepClaim = "lay out files", "workload", "claim volume"

// slowly is how fast the disks are on which something has to be met under way.
const slowly = 8 << 20

// arrayPoints are where an array is there and the runner does not know it yet, is measured, and is rebuilt on another
// device.
func arrayPoints() []faultPoint {
	degraded := func(b benchmark, disks []disk) benchmark {
		b = replaced(b, disks)
		write, replace := b.obj.Spec.Workloads[0], b.obj.Spec.Workloads[1]
		degrade := v1alpha1.Workload{Name: "degrade", Cache: v1alpha1.CacheWarm, Pool: &v1alpha1.PoolOperation{
			Offline: &v1alpha1.OfflineOperation{Device: mirrorRight},
		}}
		b.obj.Spec.Workloads = []v1alpha1.Workload{write, degrade, replace}
		return b
	}
	return []faultPoint{
		{name: "between making and finding an md array", hold: &hold{"mdadm", "^--create ", 2, holdAfter}},
		{name: "during fio on an md array", step: stepWorkload, workload: reads("4Mi", 10*time.Second)},
		{
			name: "while an md array is rebuilt", hold: &hold{"mdadm", "^--manage .* --add ", 2, holdAfter},
			workload: degraded, throttle: 2 * slowly,
		},
	}
}

// operationPoints are in the middle of what is done with a pool.
func operationPoints() []faultPoint {
	during := func(tool, command string, workload func(benchmark, []disk) benchmark) faultPoint {
		return faultPoint{
			name: "during " + command, hold: &hold{tool, "^" + command + " ", 2, holdDuring},
			workload: workload, throttle: slowly, pool: true,
		}
	}
	return []faultPoint{
		during("zpool", "replace", replaced),
		during("zpool", "scrub", operate("scrub", func(o *v1alpha1.PoolOperation) { o.Scrub = &v1alpha1.ScrubOperation{} })),
		during("zpool", "trim", operate("trim", func(o *v1alpha1.PoolOperation) { o.Trim = &v1alpha1.TrimOperation{} })),
		during("zfs", "send", operate("send", func(o *v1alpha1.PoolOperation) { o.Send = &v1alpha1.SendOperation{} })),
	}
}

// claimPoints are where the volume is asked for, which takes until the driver has found the new pool, and where it is
// measured.
func claimPoints() []faultPoint {
	return []faultPoint{
		{name: "while a volume is claimed", step: stepClaim, pool: true},
		{name: "during fio on a claimed volume", step: stepWorkload, workload: reads("4Mi", 10*time.Second), pool: true},
	}
}

// holdDirectory is on the node's root disk: programs in /run do not execute.
const holdDirectory = "/var/lib/zfsbench-e2e-hold"

// set puts a program in the place of the tool that does what the tool does, and holds where it is told to.
func (h *hold) set(t *testing.T, node *cluster.Node) {
	t.Helper()
	onDevNode(t, node, fmt.Sprintf(`set -eu
tool=$(readlink -f "$(command -v %[2]s)")
rm -rf %[1]s
mkdir %[1]s
cp "$tool" %[1]s/real
cat > %[1]s/pattern <<'END'
%[3]s
END
cat > %[1]s/tool <<'END'
#!/bin/sh
dir=%[1]s
wait_there() { : > $dir/reached; while [ -e $dir/armed ]; do sleep 0.5; done; }
if [ -e $dir/armed ] && printf '%%s\n' "$*" | grep -Eqf $dir/pattern; then
  echo >> $dir/calls
  if [ "$(wc -l < $dir/calls)" -eq %[4]d ]; then
    case %[5]s in
    before) wait_there; exec $dir/real "$@" ;;
    during) $dir/real "$@" & child=$!; wait_there; wait $child; exit $? ;;
    after) $dir/real "$@"; status=$?; wait_there; exit $status ;;
    esac
  fi
fi
exec $dir/real "$@"
END
chmod 0755 %[1]s/tool
: > %[1]s/armed
mount --bind %[1]s/tool "$tool"
`, holdDirectory, h.tool, h.pattern, h.nth, h.when))
}

// release lets the runner go on. It may have nothing to release: the node may have been rebooted meanwhile.
func (h *hold) release(t *testing.T, node *cluster.Node) {
	t.Helper()
	onDevNode(t, node, "rm -f "+holdDirectory+"/armed")
}

// unset gives the node its own tool back.
func (h *hold) unset(t *testing.T, node *cluster.Node) {
	t.Helper()
	onDevNode(t, node, fmt.Sprintf(
		`rm -f %[1]s/armed; tool=$(readlink -f "$(command -v %[2]s)"); if mountpoint -q "$tool"; then umount -l "$tool"; fi; rm -rf %[1]s`, holdDirectory, h.tool,
	))
}

// await returns when the runner is at the point. On the node it looks in one session: on an emulated one, each session
// takes a good part of a second of its processors.
func (p faultPoint) await(t *testing.T, node *cluster.Node, obj *v1alpha1.ZfsBenchmark) {
	t.Helper()
	await(t, obj.Name+" "+p.name, func() (bool, error) {
		if p.hold != nil {
			return onDevNode(t, node, "for i in $(seq 30); do if [ -e "+holdDirectory+
				"/reached ]; then echo yes; break; fi; sleep 1; done") != "", nil
		}
		progress, err := readProgress(obj)
		current := progress.Current
		return err == nil && current != nil && current.Repetition == 2 && current.Step == p.step, err
	}, func() string { return describe(obj) })
}

// readProgress is what the runner says of itself, empty before it has said anything.
func readProgress(obj *v1alpha1.ZfsBenchmark) (result.Progress, error) {
	list := &corev1.ConfigMapList{}
	err := suite.client.List(context.Background(), list, client.InNamespace(runnerNamespace),
		client.MatchingLabels{v1alpha1.LabelBenchmarkUID: string(obj.UID)})
	if err != nil {
		return result.Progress{}, err
	}
	for _, configMap := range list.Items {
		if text := configMap.Data[jobspec.KeyProgress]; text != "" {
			return result.DecodeProgress([]byte(text))
		}
		if data := configMap.BinaryData[jobspec.KeyProgress]; len(data) > 0 {
			return result.DecodeProgress(data)
		}
	}
	return result.Progress{}, nil
}

// onDevNode runs a shell script on a node of the development cluster, which needs no API server.
func onDevNode(t *testing.T, node *cluster.Node, script string) string {
	t.Helper()
	out, errOut, err := node.Run(context.Background(), cluster.Command{Args: []string{"sh", "-c", script}})
	if err != nil {
		t.Fatalf("on %s: %v\n%s%s", node.Name(), err, out, errOut)
	}
	return out
}

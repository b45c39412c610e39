// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/hack/devcluster/cluster"
)

// outage is how long a part of the cluster is away.
const outage = time.Minute

// fault is something that goes wrong.
type fault struct {
	name   string
	inject func(t *testing.T, x *injection)
	// mend ends an outage, before the benchmark has to end.
	mend func(t *testing.T, x *injection, began time.Time)
	// repair makes the node whole again after the benchmark has ended.
	repair func(t *testing.T, x *injection)
	// completes, fails (with one of these reasons) and gone are the ends that are true.
	completes bool
	fails     []string
	gone      bool
	// inPool says that it happens to a pool, and only at points where there is one.
	inPool bool
	// onPoolOnly says that only the subject that is a pool meets it: the others meet another one that is much like it.
	onPoolOnly bool
	// breaks says that it breaks a disk, which each subject notices in its own way.
	breaks bool
}

// victim is the disk that breaks.
func (x *injection) victim() disk { return x.disks[len(x.disks)-1] }

// injection is one case under way.
type injection struct {
	*faultWorld
	subject   subject
	disks     []disk
	namespace string
	obj       *v1alpha1.ZfsBenchmark
	// reachable says that commands reach the node.
	reachable bool
	// unplugged is the disk that was taken out.
	unplugged cluster.Disk
}

func faults() []fault {
	// A device that dies ends the trial in whatever it is doing.
	broken := []string{
		v1alpha1.ReasonPoolSuspended, v1alpha1.ReasonPoolFailed, v1alpha1.ReasonWorkloadFailed, v1alpha1.ReasonDeviceRefused,
		v1alpha1.ReasonCleanupFailed,
		v1alpha1.ReasonPoolNotOnline, v1alpha1.ReasonVdevErrors,
	}
	return []fault{
		{name: "runner killed", completes: true, inject: killRunner},
		{name: "pod deleted", onPoolOnly: true, completes: true, inject: deletePods},
		{name: "pod evicted", completes: true, inject: evictPods},
		{name: "power failure", completes: true, inject: powerFailure, mend: powerOn},
		{name: "reboot", onPoolOnly: true, completes: true, inject: reboot},
		{
			name: "kubelet stopped", onPoolOnly: true, completes: true,
			inject: onNodeScript("systemctl stop kubelet"), mend: after(onNodeScript("systemctl start kubelet")),
		},
		{name: "manager killed", onPoolOnly: true, completes: true, inject: onNodeScript("pkill -KILL -x manager")},
		{name: "API server down", completes: true, inject: stopAPIServer, mend: after(startAPIServer)},
		{name: "network cut", completes: true, inject: cutNetwork, mend: after(restoreNetwork)},
		{name: "benchmark deleted", onPoolOnly: true, gone: true, inject: deleteBenchmark},
		{name: "namespace deleted", onPoolOnly: true, gone: true, inject: deleteNamespace},
		{name: "policy revoked", fails: []string{v1alpha1.ReasonPolicyRevoked}, inject: revokePolicy},
		{name: "operator reinstalled", onPoolOnly: true, completes: true, inject: uninstall, mend: reinstall},
		{name: "operator upgraded", completes: true, inject: upgrade},
		{
			name: "scratch full", completes: true,
			fails:  []string{v1alpha1.ReasonRunnerFailed, v1alpha1.ReasonCleanupFailed, v1alpha1.ReasonWorkloadFailed},
			inject: fillScratch, mend: after(freeScratch),
		},
		{name: "disk unplugged", breaks: true, fails: broken, inject: unplug, repair: plugInAndReboot},
		{name: "disk fails", breaks: true, fails: broken, inject: failDisk, repair: powerCycle},
		{
			name: "dataset added", onPoolOnly: true, inPool: true, fails: []string{v1alpha1.ReasonCleanupFailed},
			inject: addDataset, repair: removeDataset,
		},
	}
}

func killRunner(t *testing.T, x *injection) {
	t.Helper()
	onDevNode(t, x.node, "pkill -KILL -f 'execute --plan[=]'")
}

func deletePods(t *testing.T, x *injection) {
	t.Helper()
	x.eachPod(t, func(pod *corev1.Pod) error { return suite.client.Delete(context.Background(), pod) })
}

func evictPods(t *testing.T, x *injection) {
	t.Helper()
	x.eachPod(t, func(pod *corev1.Pod) error {
		return suite.client.SubResource("eviction").Create(context.Background(), pod,
			&policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}})
	})
}

// eachPod does something to the runner's pods.
func (x *injection) eachPod(t *testing.T, do func(*corev1.Pod) error) {
	t.Helper()
	pods := runnerPods(context.Background(), x.obj)
	if len(pods) == 0 {
		t.Fatal("the benchmark runs in no pod")
	}
	for i := range pods {
		if err := do(&pods[i]); err != nil {
			t.Fatal(err)
		}
	}
}

func powerFailure(t *testing.T, x *injection) {
	t.Helper()
	x.must(t, x.node.Kill(context.Background()))
	x.reachable = false
}

func powerOn(t *testing.T, x *injection, _ time.Time) {
	t.Helper()
	x.must(t, x.node.Start(context.Background()))
	x.reachable = true
	suite.shell.await(t)
}

func reboot(t *testing.T, x *injection) {
	t.Helper()
	x.must(t, x.node.Reboot(context.Background()))
	suite.shell.await(t)
}

func powerCycle(t *testing.T, x *injection) {
	t.Helper()
	powerFailure(t, x)
	powerOn(t, x, time.Time{})
}

func onNodeScript(script string) func(*testing.T, *injection) {
	return func(t *testing.T, x *injection) {
		t.Helper()
		onDevNode(t, x.node, script)
	}
}

// after ends an outage when it has lasted long enough.
func after(do func(*testing.T, *injection)) func(*testing.T, *injection, time.Time) {
	return func(t *testing.T, x *injection, began time.Time) {
		t.Helper()
		<-time.After(time.Until(began.Add(outage)))
		do(t, x)
	}
}

func stopAPIServer(t *testing.T, x *injection) {
	t.Helper()
	x.must(t, x.cluster.StopAPIServer(context.Background()))
}

func startAPIServer(t *testing.T, x *injection) {
	t.Helper()
	x.must(t, x.cluster.StartAPIServer(context.Background()))
}

// cutNetwork releases what the runner waits for first: afterwards nobody reaches the node.
func cutNetwork(t *testing.T, x *injection) {
	t.Helper()
	onDevNode(t, x.node, "(sleep 2; rm -f "+holdDirectory+"/armed) >/dev/null 2>&1 &")
	x.must(t, x.node.CutNetwork(context.Background()))
	x.reachable = false
}

func restoreNetwork(t *testing.T, x *injection) {
	t.Helper()
	x.must(t, x.node.RestoreNetwork(context.Background()))
	x.must(t, x.node.WaitReady(context.Background()))
	x.reachable = true
}

func deleteBenchmark(t *testing.T, x *injection) {
	t.Helper()
	x.must(t, suite.client.Delete(context.Background(), x.obj))
}

func deleteNamespace(t *testing.T, x *injection) {
	t.Helper()
	x.must(t, suite.client.Delete(context.Background(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: x.namespace}}))
}

func revokePolicy(t *testing.T, x *injection) {
	t.Helper()
	x.must(t, suite.client.Delete(context.Background(),
		&v1alpha1.BenchmarkDevicePolicy{ObjectMeta: metav1.ObjectMeta{Name: x.namespace}}))
}

func uninstall(t *testing.T, _ *injection) {
	t.Helper()
	if err := suite.helm(context.Background(), "uninstall", "zfsbench", "--wait", "--timeout", "5m"); err != nil {
		t.Fatal(err)
	}
}

func reinstall(t *testing.T, x *injection, _ time.Time) {
	t.Helper()
	upgrade(t, x)
}

// upgrade brings a new manager.
func upgrade(t *testing.T, _ *injection) {
	t.Helper()
	if err := suite.installChart(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// fillScratch fills the filesystem that the benchmark's scratch directory is on.
func fillScratch(t *testing.T, x *injection) {
	t.Helper()
	onDevNode(t, x.node, "dd if=/dev/zero of="+faultScratch+"/fill bs=1M status=none || true; dd if=/dev/zero of="+
		faultScratch+"/rest bs=1k status=none || true; df "+faultScratch+" | tail -1")
}

func freeScratch(t *testing.T, x *injection) {
	t.Helper()
	onDevNode(t, x.node, "rm -f "+faultScratch+"/fill "+faultScratch+"/rest")
}

func unplug(t *testing.T, x *injection) {
	t.Helper()
	x.unplugged = dataDisk(t, x.node, x.victim())
	x.must(t, x.node.RemoveDisk(context.Background(), x.unplugged.Name, false))
}

// plugInAndReboot is what a person would do about a pool that hangs.
func plugInAndReboot(t *testing.T, x *injection) {
	t.Helper()
	powerFailure(t, x)
	if _, err := x.node.AddDisk(context.Background(), x.unplugged); err != nil {
		t.Fatal(err)
	}
	powerOn(t, x, time.Time{})
}

func failDisk(t *testing.T, x *injection) {
	t.Helper()
	x.must(t, x.node.FailDisk(context.Background(), dataDisk(t, x.node, x.victim()).Name))
}

// theirs is where somebody mounts a dataset that they made in our pool.
const theirs = foreignDirectory + "/theirs"

const benchmarkPool = `pool=$(zpool list -H -o name | grep -v '^somebody$'); `

// addDataset makes a dataset in the benchmark's pool that no benchmark made.
func addDataset(t *testing.T, x *injection) {
	t.Helper()
	onDevNode(t, x.node, "set -eu; "+benchmarkPool+`zfs create -o mountpoint=`+theirs+` "$pool/theirs"; echo precious > `+
		theirs+`/file; sync -f `+theirs+`/file`)
}

// removeDataset is what its owner does when they learn of it. It must still be there.
func removeDataset(t *testing.T, x *injection) {
	t.Helper()
	if got := onDevNode(t, x.node, "cat "+theirs+"/file"); got != "precious\n" {
		t.Errorf("the file in somebody's dataset now says %q", got)
	}
	onDevNode(t, x.node, "set -eu; "+benchmarkPool+`zfs destroy "$pool/theirs"; rmdir `+theirs)
}

func (x *injection) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

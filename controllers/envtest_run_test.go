// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/testfiles"
)

// The Job is built as the API server stores it, so that a default nobody thought of shows up here.
func TestJobAsStored(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Timeout(time.Hour).Obj())
	r := p.runner(b, "storage-0")
	job := r.job(jobspec.RunJobName(r.run.Base()))
	stored, err := yaml.Marshal(job.Spec)
	p.must(err)
	names := strings.NewReplacer(
		r.run.Base(), "BASE", r.run.Digest, "DIGEST", node.Name, "NODE", string(b.UID), "BENCHMARK-UID", string(job.UID),
		"JOB-UID",
		jobspec.NodeHash(node.Name), "NODE-HASH",
	)
	testfiles.Compare(t, "stored-job.yaml", names.Replace(string(stored)))
}

func TestRunnerGetsItsObjects(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
	r := p.runner(b, "storage-0")
	base := r.run.Base()
	objects := map[string]client.Object{
		base:                              &corev1.ServiceAccount{},
		base + " role":                    &rbacv1.Role{},
		base + " binding":                 &rbacv1.RoleBinding{},
		jobspec.ProgressName(base):        &corev1.ConfigMap{},
		jobspec.ResultsName(base, 0):      &corev1.ConfigMap{},
		jobspec.RunJobName(base) + " job": &batchv1.Job{},
	}
	for name, object := range objects {
		name, _, _ = strings.Cut(name, " ")
		p.must(p.Get(t.Context(), r.key(name), object))
		if owner := metav1.GetControllerOf(object); owner == nil || owner.Name != base || owner.UID != r.run.PlanUID {
			t.Errorf("%T %s is not owned by the plan: %v", object, name, owner)
		}
		if object.GetLabels()[v1alpha1.LabelBenchmarkUID] != string(b.UID) {
			t.Errorf("%T %s has labels %v", object, name, object.GetLabels())
		}
	}
	if lease := p.lease(node); lease == nil || leaseHolder(lease) != string(b.UID) {
		t.Errorf("lease of the node = %v, want it held by the benchmark", lease)
	}
}

func TestRunToCompletion(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Repetitions(2).Obj())
	r := p.runner(b, "storage-0")
	p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionTrue, v1alpha1.ReasonStarting)

	r.report(result.StateRunning, func(pr *result.Progress) {
		pr.Current = &result.CurrentTrial{Variant: "default", Repetition: 1, Step: "workload", Workload: "seq-write",
			Percent: 50}
	})
	now := p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionTrue, v1alpha1.ReasonRunning, "0 of 2 trials")
	if got := now.Status.Progress; got.Percent != 25 || got.CurrentWorkload != "seq-write" || now.Status.StartTime == nil {
		t.Errorf("progress = %+v, started %v", got, now.Status.StartTime)
	}

	r.trial(0)
	r.report(result.StateRunning, func(pr *result.Progress) { pr.Completed = 1 })
	p.waitReport(b, "summary.md", "1 of 2 trials")
	eventually(t, func() error {
		now = p.get(b)
		if len(now.Status.Results) != 1 || now.Status.Summary.WriteBandwidth != "100 MiB/s" ||
			now.Status.Summary.Progress != "1/2 (50%)" {
			return fmt.Errorf("after one of two trials: results %+v, summary %+v", now.Status.Results, now.Status.Summary)
		}
		return nil
	})
	if now.Status.Progress.EstimatedCompletionTime == nil || now.Status.Summary.EstimatedCompletion == "" {
		t.Errorf("no estimate after the first trial: %+v", now.Status.Progress)
	}

	r.complete()
	now = p.waitCondition(b, v1alpha1.ConditionComplete, metav1.ConditionTrue, v1alpha1.ReasonComplete, "All 2 trials")
	want := v1alpha1.NodeStatus{
		Name: node.Name, UID: string(node.UID), State: nodeComplete, Message: "All 2 trials are done.",
		Trials:          v1alpha1.TrialCounts{Total: 2, Completed: 2},
		OpenZFSUserland: "2.3.2-2", OpenZFSModule: "2.3.2-2", Kernel: "6.12.0", CPUs: 2, MemoryBytes: 4 << 30,
		ARCMaxBytes: 3 << 30,
	}
	if diff := cmp.Diff(want, now.Status.Nodes[0]); diff != "" {
		t.Errorf("node (-want +got):\n%s", diff)
	}
	if !isTrue(&now.Status, v1alpha1.ConditionFinished) || now.Status.CompletionTime == nil ||
		now.Status.Phase != v1alpha1.PhaseComplete {
		t.Errorf("not finished: %s", describeConditions(now))
	}
	if got := now.Status.Results[0]; got.BandwidthBytesPerSecond != 100<<20 || got.IOPS != 800 || got.Repetitions != 2 ||
		got.Node != node.Name {
		t.Errorf("result = %+v", got)
	}
	p.waitReport(b, "summary.md", "files: Complete")
	cm := p.waitReport(b, "results.csv", "seq-write")
	if !metav1.IsControlledBy(cm, b) || now.Status.ResultsConfigMap != cm.Name {
		t.Errorf("results ConfigMap has owners %v, status names %q", cm.OwnerReferences, now.Status.ResultsConfigMap)
	}
	p.waitReleased(node)
	r.collectGarbage()
	p.waitEvent(b, v1alpha1.ReasonComplete)
}

// waitReport waits until the results ConfigMap has a key that contains a word.
func (p *play) waitReport(b *v1alpha1.ZfsBenchmark, key, word string) *corev1.ConfigMap {
	p.t.Helper()
	cm := &corev1.ConfigMap{}
	eventually(p.t, func() error {
		if err := p.Get(p.t.Context(), types.NamespacedName{Namespace: b.Namespace, Name: jobspec.ResultsConfigMapName(b)},
			cm); err != nil {
			return err
		}
		if !strings.Contains(cm.Data[key], word) {
			return fmt.Errorf("%s of %s does not contain %q:\n%s", key, cm.Name, word, cm.Data[key])
		}
		return nil
	})
	return cm
}

func TestDryRun(t *testing.T) {
	tests := map[string]struct {
		passed    bool
		condition string
		reason    string
		word      string
	}{
		"passes":  {true, v1alpha1.ConditionComplete, v1alpha1.ReasonDryRunPassed, "nothing was written"},
		"refused": {false, v1alpha1.ConditionFailed, v1alpha1.ReasonDeviceRefused, "ext4"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			b := p.create(MakeBenchmark(p.namespace, "dry").Node(p.node("storage-0", nil).Name).DryRun().Obj())
			r := p.runner(b, "storage-0")
			device := result.DeviceReport{Name: "f0", Usable: tt.passed, SizeBytes: 1 << 30}
			want := v1alpha1.DeviceStatus{Node: p.nodeName("storage-0"), Name: "f0", Usable: tt.passed}
			state := result.StateComplete
			if !tt.passed {
				device.Refusal, state = "Device f0 has an ext4 signature.", result.StateFailed
				want.Message = device.Refusal
			}
			r.report(state, func(pr *result.Progress) {
				pr.Preflight = &result.Preflight{Passed: tt.passed, Devices: []result.DeviceReport{device}}
				if !tt.passed {
					pr.Failure = &result.Failure{Reason: v1alpha1.ReasonDeviceRefused, Message: device.Refusal}
				}
			})
			r.endJob(jobspec.RunJobName(r.run.Base()), batchv1.JobComplete, "")
			now := p.waitCondition(b, tt.condition, metav1.ConditionTrue, tt.reason, tt.word)
			if diff := cmp.Diff([]v1alpha1.DeviceStatus{want}, now.Status.Devices); diff != "" {
				t.Errorf("status.devices (-want +got):\n%s", diff)
			}
			if s := now.Status; s.Progress != nil || s.Summary.Progress != "dry run" || s.Nodes[0].Trials.Total != 0 {
				t.Errorf("progress %+v, column %q, node's trials %+v", s.Progress, s.Summary.Progress, s.Nodes[0].Trials)
			}
			p.waitReport(b, "summary.md", "## Preflight of "+p.nodeName("storage-0"))
			p.waitReport(b, "summary.md", "| f0     | ")
			p.waitReport(b, "results.json", `"preflight":{"passed":`+fmt.Sprint(tt.passed))
		})
	}
}

func TestTwoNodesOneAtATime(t *testing.T) {
	p := newPlay(t)
	first, second := p.node("storage-0", nil), p.node("storage-1", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(first.Name, second.Name).MaxParallel(1).Obj())
	r := p.runner(b, "storage-0")
	r.report(result.StateRunning, nil)
	now := p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionTrue, v1alpha1.ReasonRunning, first.Name)
	if got := now.Status.Nodes[1]; got.State != nodeWaiting || !strings.Contains(got.Message, "maxParallel is 1") {
		t.Errorf("second node = %+v, want it to wait for the first", got)
	}
	if p.lease(second) != nil {
		t.Error("the second node is held before its turn")
	}
	r.complete()
	p.runner(b, "storage-1").complete()
	now = p.waitPhase(b, v1alpha1.PhaseComplete)
	if got := now.Status.Progress.Trials; got.Total != 2 || got.Completed != 2 {
		t.Errorf("trials = %+v", got)
	}
}

func TestTimeToLiveDeletes(t *testing.T) {
	p := newPlay(t)
	b := p.create(MakeBenchmark(p.namespace,
		"files").Node(p.node("storage-0", nil).Name).TTL(1).Cleanup(v1alpha1.CleanupNever).Obj())
	r := p.runner(b, "storage-0")
	r.complete()
	r.collectGarbage()
	p.waitGone(b)
}

// A status that changes by being looked at would keep the manager and everybody who watches busy for ever.
func TestStatusSettles(t *testing.T) {
	p := newPlay(t)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(p.node("storage-0", nil).Name).Repetitions(3).Obj())
	r := p.runner(b, "storage-0")
	r.trial(0)
	r.report(result.StateRunning, func(pr *result.Progress) {
		pr.Completed = 1
		pr.Current = &result.CurrentTrial{Index: 1, Variant: "default", Repetition: 2, Step: "workload",
			Workload: "seq-write", Percent: 10}
	})
	p.waitReport(b, "summary.md", "1 of 3 trials")
	before := p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionTrue, v1alpha1.ReasonRunning, "1 of 3")
	changes := 0
	for end := time.After(3 * time.Second); ; {
		select {
		case <-time.After(100 * time.Millisecond):
			if now := p.get(b); now.ResourceVersion != before.ResourceVersion {
				changes++
				before = now
			}
			continue
		case <-end:
		}
		break
	}
	if changes > 2 {
		t.Errorf("status changed %d times in 3 s although nothing happened: %+v", changes, before.Status)
	}
}

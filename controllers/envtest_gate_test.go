// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/report"
	"zfsbench.io/operator/internal/result"
)

// measure plays a runner that measures every trial at so many MiB/s, the repetitions a little apart.
func (r *runner) measure(mebibytes int) {
	r.t.Helper()
	for i := range r.run.Plan.Trials {
		r.measuredTrial(i, mebibytes+i%2)
	}
	r.report(result.StateComplete, func(p *result.Progress) { p.Completed = len(r.run.Plan.Trials) })
	r.endJob(jobspec.RunJobName(r.run.Base()), batchv1.JobComplete, "")
}

func TestThresholds(t *testing.T) {
	tests := map[string]struct {
		bounds []v1alpha1.ThresholdBound
		status metav1.ConditionStatus
		reason string
		words  []string
	}{
		"met": {[]v1alpha1.ThresholdBound{"50Mi", "80Mi"}, metav1.ConditionTrue, v1alpha1.ReasonMet,
			[]string{"All 2 thresholds are met"}},
		"not for certain": {[]v1alpha1.ThresholdBound{"50Mi", "100Mi"}, metav1.ConditionTrue, v1alpha1.ReasonMetNotCertain,
			[]string{"100 MiB/s", "at least 100Mi: met, but not for certain"}},
		"not met": {[]v1alpha1.ThresholdBound{"50Mi", "1Gi"}, metav1.ConditionFalse, v1alpha1.ReasonNotMet,
			[]string{"1 of 2", "writeBandwidth of seq-write", "at least 1Gi: not met"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			b := MakeBenchmark(p.namespace, "gate").Node(p.node("storage-0", nil).Name).Repetitions(3)
			for _, bound := range tt.bounds {
				b = b.Threshold(bound, "")
			}
			obj := p.create(b.Obj())
			r := p.runner(obj, "storage-0")
			if c := meta.FindStatusCondition(p.get(obj).Status.Conditions, v1alpha1.ConditionThresholdsMet); c != nil {
				t.Errorf("before the end, thresholds are %s: %s", c.Status, c.Message)
			}
			r.measure(100)
			p.waitPhase(obj, v1alpha1.PhaseComplete)
			p.waitCondition(obj, v1alpha1.ConditionThresholdsMet, tt.status, tt.reason, tt.words...)
			p.waitEvent(obj, tt.reason)
			p.waitReport(obj, report.MarkdownKey, "## Thresholds")
			p.waitReport(obj, report.JSONKey, `"thresholds":[{"threshold":0,"workload":"seq-write"`)
		})
	}
}

// A benchmark that failed meets no threshold, whether or not there is anything to report.
func TestThresholdsOfAFailedBenchmark(t *testing.T) {
	for name, trials := range map[string]int{"before the first trial": 0, "half way": 1} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			b := p.create(MakeBenchmark(p.namespace, "gate").Node(p.node("storage-0", nil).Name).Repetitions(2).Threshold("50Mi",
				"").Obj())
			r := p.runner(b, "storage-0")
			for i := range trials {
				r.trial(i)
			}
			r.report(result.StateFailed, func(pr *result.Progress) {
				pr.Completed = trials
				pr.Failure = &result.Failure{Reason: v1alpha1.ReasonPoolFailed, Message: "No such pool."}
			})
			r.endJob(jobspec.RunJobName(r.run.Base()), batchv1.JobComplete, "")
			p.waitPhase(b, v1alpha1.PhaseFailed)
			p.waitCondition(b, v1alpha1.ConditionThresholdsMet, metav1.ConditionFalse, v1alpha1.ReasonBenchmarkFailed,
				"The benchmark failed", "of 1 are")
		})
	}
}

// A benchmark is compared with another one, and stays compared: what becomes of the other afterwards, and a new
// manager, change nothing.
func TestComparedWithAnotherBenchmark(t *testing.T) {
	p := newPlay(t)
	before := p.create(MakeBenchmark(p.namespace, "before").Node(p.node("storage-0", nil).Name).Repetitions(6).Obj())
	p.runner(before, "storage-0").measure(100)
	p.waitPhase(before, v1alpha1.PhaseComplete)

	after := p.create(MakeBenchmark(p.namespace, "after").Node(p.node("storage-1", nil).Name).Repetitions(6).
		ComparedWith(v1alpha1.ComparedWith{Benchmark: "before"}).Threshold("95%", "before").Threshold("80%", "before").Obj())
	p.runner(after, "storage-1").measure(90)
	p.waitPhase(after, v1alpha1.PhaseComplete)
	finished := p.waitCondition(after, v1alpha1.ConditionThresholdsMet, metav1.ConditionFalse, v1alpha1.ReasonNotMet,
		"1 of 2", "is 90%; required is at least 95% of before: not met.")
	for _, words := range []string{"## Compared with before", "Worse", p.nodeName("storage-0")} {
		p.waitReport(after, report.MarkdownKey, words)
	}
	cm := p.waitReport(after, report.JSONKey, `"verdict":"Worse"`)
	if c := meta.FindStatusCondition(p.get(before).Status.Conditions, v1alpha1.ConditionThresholdsMet); c != nil {
		t.Errorf("a benchmark without thresholds says that they are %s: %s", c.Status, c.Message)
	}

	p.must(p.Delete(t.Context(), p.waitReport(before, report.MarkdownKey, "Complete")))
	restarted, _ := p.newReconciler()
	if _, err := restarted.Reconcile(t.Context(),
		ctrl.Request{NamespacedName: client.ObjectKeyFromObject(after)}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(finished.Status, p.get(after).Status); diff != "" {
		t.Errorf("status after a restart (-before +after):\n%s", diff)
	}
	if again := p.waitReport(after, report.JSONKey, `"verdict":"Worse"`); again.ResourceVersion != cm.ResourceVersion {
		t.Error("the results were written again")
	}
}

// kept is the comparable.json of a benchmark that wrote at 100 MiB/s, changed by the functions.
func kept(t *testing.T, p plan.Plan, completed bool, change func(*plan.Plan)) string {
	t.Helper()
	p.Workloads = append([]v1alpha1.Workload{}, p.Workloads...)
	change(&p)
	n := compare.Measured{NodeTrials: experiment.NodeTrials{Plan: p}}
	for _, planned := range p.Trials {
		n.Trials = append(n.Trials, result.Trial{Index: planned.Index, Variant: planned.Variant,
			Repetition: planned.Repetition, Samples: []result.Sample{{
				Workload: "seq-write", Write: &result.Operation{BandwidthBytesPerSecond: 100 << 20, IOPS: 800},
			}}})
	}
	b := MakeBenchmark("elsewhere", "kept").Obj()
	if completed {
		b.Status.CompletionTime = &metav1.Time{Time: time.Now()}
	}
	data, err := compare.Encode(compare.Of(b, v1alpha1.PhaseComplete, []compare.Measured{n}, nil))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Whatever others are, or are not, the benchmark finishes and says what is wrong with them.
func TestOthersThatCannotBeComparedWith(t *testing.T) {
	p := newPlay(t)
	running := p.create(MakeBenchmark(p.namespace, "running").Node(p.node("storage-0", nil).Name).Obj())
	same := func(*plan.Plan) {}
	tests := []struct {
		name string
		// content of comparable.json; nil for no ConfigMap, empty for no such key.
		content func(plan.Plan) string
		want    string
	}{
		{"absent", nil, "There is no ConfigMap absent in this namespace."},
		{"keyless", func(plan.Plan) string { return "" }, "has no key comparable.json"},
		{"garbage", func(plan.Plan) string { return "\x1b[2J{]" }, "it is not JSON of this kind"},
		{"huge", func(p plan.Plan) string {
			return kept(t, p, true, same) + strings.Repeat(" ", compare.MaxBytes)
		}, "more than 122880"},
		{"nan", func(p plan.Plan) string {
			return strings.ReplaceAll(kept(t, p, true, same), "104858000", "NaN")
		}, "it is not JSON of this kind"},
		{"unfinished", func(p plan.Plan) string { return kept(t, p, false, same) }, "had not finished"},
		{"unlike", func(p plan.Plan) string {
			return kept(t, p, true, func(p *plan.Plan) {
				fio := *p.Workloads[0].Fio
				fio.BS = "64k"
				p.Workloads[0].Fio = &fio
			})
		}, "Not comparable, the workload is different: bs is 131072 here and 65536 there."},
	}
	b := MakeBenchmark(p.namespace, "after").Node(p.node("storage-1", nil).Name).Repetitions(2)
	with := []v1alpha1.ComparedWith{{Benchmark: running.Name}}
	for _, tt := range tests {
		with = append(with, v1alpha1.ComparedWith{ConfigMap: tt.name})
	}
	obj := p.create(b.ComparedWith(with...).Threshold("1%", "unlike").Threshold("50Mi", "").Threshold("1%",
		running.Name).Obj())
	r := p.runner(obj, "storage-1")
	for _, tt := range tests {
		if tt.content == nil {
			continue
		}
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: tt.name},
			Data: map[string]string{"mine": "precious"}}
		if text := tt.content(r.run.Plan); text != "" {
			cm.Data[report.ComparableKey] = text
		}
		p.must(p.Create(t.Context(), cm))
	}
	r.measure(100)
	p.waitPhase(obj, v1alpha1.PhaseComplete)
	p.waitCondition(obj, v1alpha1.ConditionThresholdsMet, metav1.ConditionFalse, v1alpha1.ReasonNotJudged,
		"2 of 3 thresholds are not judged", "has not finished", "bs is 131072 here")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			page := p.waitReport(obj, report.MarkdownKey, "## Compared with "+tt.name).Data[report.MarkdownKey]
			_, section, _ := strings.Cut(page, "## Compared with "+tt.name)
			section, _, _ = strings.Cut(section, "\n## ")
			if !strings.Contains(section, tt.want) {
				t.Errorf("summary.md lacks %q:\n%s", tt.want, section)
			}
		})
	}
	p.waitReport(obj, report.MarkdownKey, "Benchmark running has not finished.")
}

// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/config"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// claimers are benchmarks that claim nothing, that claim a volume, and whose variants this manager does not understand.
func claimers() (plain, onClass, unknown *v1alpha1.ZfsBenchmark) {
	claims := func() *v1alpha1.ZfsBenchmark { return MakeBenchmark("default", "a").OnClass("fast", "1Gi").Obj() }
	unknown = claims()
	unknown.Spec.Baselines = append(unknown.Spec.Baselines, unknown.Spec.Baselines[0])
	return MakeBenchmark("default", "a").Obj(), claims(), unknown
}

// emptyReader finds nothing, and counts how often it was asked.
type emptyReader struct {
	client.Reader
	lists int
}

func (r *emptyReader) List(context.Context, client.ObjectList, ...client.ListOption) error {
	r.lists++
	return nil
}

// What a benchmark has claimed is looked for unless it is certain that there is nothing.
func TestRemoveClaimsLooks(t *testing.T) {
	plain, onClass, unknown := claimers()
	tests := map[string]struct {
		benchmark *v1alpha1.ZfsBenchmark
		disabled  bool
		want      int
	}{
		"a pool": {plain, false, 0}, "a volume": {onClass, false, 3}, "what has no variants": {unknown, false, 3},
		"claims switched off": {onClass, true, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			api := &emptyReader{}
			r := &Reconciler{APIReader: api, Config: config.Manager{CSI: config.CSI{Enabled: !test.disabled}}}
			waits, err := r.removeClaims(t.Context(), &scope{benchmark: test.benchmark}, client.MatchingLabels{})
			if len(waits) > 0 || err != nil || api.lists != test.want {
				t.Errorf("waits %q, error %v, asked %d times", waits, err, api.lists)
			}
		})
	}
}

// What there is of drivers matters to nodes that have not started, of a benchmark that claims volumes.
func TestReadDriverIfItMatters(t *testing.T) {
	plain, onClass, unknown := claimers()
	tests := map[string]struct {
		benchmark *v1alpha1.ZfsBenchmark
		names     []string
		want      bool
	}{
		"a pool": {plain, []string{"storage-0"}, false}, "a volume": {onClass, []string{"storage-0"}, true},
		"a volume, started everywhere": {onClass, nil, false},
		"what has no variants":         {unknown, []string{"storage-0"}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scope{benchmark: test.benchmark}
			if err := (&Reconciler{}).readDriver(t.Context(), s, test.names); err != nil || (s.driver != nil) != test.want {
				t.Errorf("facts %+v, error %v", s.driver, err)
			}
		})
	}
}

// TestFoundEmpty: a volume goes with its claim only if its runner has recorded that it was empty.
func TestFoundEmpty(t *testing.T) {
	run := &jobspec.Run{Plan: plan.Plan{Benchmark: plan.Benchmark{UID: "u"}}, Digest: "d"}
	record := func(claim string) string {
		digest := "sha256:" + strings.Repeat("0", 64)
		return `{"version":1,"benchmarkUID":"u","planDigest":"` + digest + `","trialIndex":0,"baseline":"x"` + claim + `}`
	}
	tests := map[string]struct {
		ownership string
		asked     string
		want      bool
	}{
		"nothing recorded":        {"", "", false},
		"no claim recorded":       {record(""), "", false},
		"found empty":             {record(`,"claim":{"poolTrial":0}`), result.ClaimPresent, true},
		"found empty, and stays":  {record(`,"claim":{"poolTrial":0}`), result.ClaimKept, false},
		"not looked into":         {record(`,"claim":{"poolTrial":0,"keep":true}`), "", false},
		"unreadable":              {`{`, "", false},
		"of another benchmark":    {strings.Replace(record(`,"claim":{"poolTrial":0}`), `"u"`, `"v"`, 1), "", false},
		"not looked into, absent": {record(`,"claim":{"poolTrial":0,"keep":true}`), result.ClaimAbsent, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			n := &nodeRun{name: "n0", run: run, progressMap: &corev1.ConfigMap{Data: map[string]string{}}}
			if test.ownership != "" {
				n.progressMap.Data[jobspec.KeyOwnership] = test.ownership
			}
			if test.asked != "" {
				n.claimRequest = &result.ClaimRequest{Want: test.asked}
			}
			n.readReports()
			s := &scope{runs: []*nodeRun{n}}
			if got := s.foundEmpty(run.Base()); got != test.want {
				t.Errorf("found empty %t, want %t (%v)", got, test.want, n.recordsError)
			}
		})
	}
	if (&scope{}).foundEmpty(run.Base()) {
		t.Error("a volume of which nothing is known counts as empty")
	}
}

// A deletion names what it waits for, but not hundreds.
func TestNameObjects(t *testing.T) {
	named := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }
	objects := []client.Object{
		&corev1.Pod{ObjectMeta: named("zb-1")}, &corev1.PersistentVolumeClaim{ObjectMeta: named("zb-1")},
	}
	if got, want := nameObjects(objects), "pod zb-1, claim zb-1"; got != want {
		t.Errorf("named %q, want %q", got, want)
	}
	for range 9 {
		objects = append(objects, &storagev1.StorageClass{ObjectMeta: named("zb-2")})
	}
	want := "pod zb-1, claim zb-1, StorageClass zb-2, StorageClass zb-2, StorageClass zb-2, and 6 more"
	if got := nameObjects(objects); got != want {
		t.Errorf("named %q, want %q", got, want)
	}
}

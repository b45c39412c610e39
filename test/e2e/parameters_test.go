// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// txgTimeout is a parameter of the module that can be set at any time, and that hardly matters for what the tests do.
const txgTimeout = "zfs_txg_timeout"

// TestModuleParametersAreRestored varies a module parameter. The benchmark waits until a policy lists it; its runner is killed while the parameter is changed; in the end every trial ran with
// the value of its variant, and the node has its own value again.
func TestModuleParametersAreRestored(t *testing.T) {
	if pools := onNode(t, "zpool", "list", "-H", "-o", "name"); strings.TrimSpace(pools) != "" {
		t.Skipf("the node has pools, which module parameters would apply to: %s", pools)
	}
	before := parameterOnNode(t)
	other := map[string]string{"7": "8"}[before]
	if other == "" {
		other = "7"
	}
	b := newBenchmark("parameters").disks(v1alpha1.VdevStripe, 1).repetitions(2).fio("seq-write", v1alpha1.FioWrite, "128k", seqSize(), func(w *v1alpha1.FioWorkload) {
		// Long enough to be killed in.
		w.TimeBased, w.Runtime = true, &metav1.Duration{Duration: 30 * time.Second}
	})
	value := func(v string) v1alpha1.Overlay {
		return v1alpha1.Overlay{
			Name: v1alpha1.AxisValueName(v), ModuleParameters: map[string]v1alpha1.ModuleParameterValue{txgTimeout: v1alpha1.ModuleParameterValue(v)},
		}
	}
	b.obj.Spec.Matrix = &v1alpha1.MatrixSpec{Axes: []v1alpha1.Axis{{Name: "txg-timeout", Values: []v1alpha1.Overlay{value(before), value(other)}}}}
	obj := b.apply(t)

	waiting := awaitBenchmark(t, obj, "waits for a policy", func(b *v1alpha1.ZfsBenchmark) bool {
		accepted := meta.FindStatusCondition(b.Status.Conditions, v1alpha1.ConditionAccepted)
		return accepted != nil && accepted.Status == "False" && accepted.Reason == v1alpha1.ReasonPolicyMismatch
	})
	message := meta.FindStatusCondition(waiting.Status.Conditions, v1alpha1.ConditionAccepted).Message
	for _, want := range []string{"BenchmarkDevicePolicy e2e", txgTimeout, "spec.moduleParameters", suite.node.Name, benchNamespace} {
		if !strings.Contains(message, want) {
			t.Errorf("message %q does not name %s", message, want)
		}
	}
	suite.grant(t, "e2e-parameters", v1alpha1.BenchmarkDevicePolicySpec{ModuleParameters: []string{txgTimeout}})

	await(t, txgTimeout+" set to "+other, func() (bool, error) { return parameterOnNode(t) == other, nil }, func() string { return describe(obj) })
	onNode(t, "pkill", "-KILL", "-f", "execute --plan[=]")

	docs := readDocuments(t, awaitComplete(t, obj))
	if now := parameterOnNode(t); now != before {
		t.Errorf("%s is %s on the node, it was %s", txgTimeout, now, before)
	}
	if len(docs.trials) < 4 {
		t.Errorf("%d trials, want two of each variant at least", len(docs.trials))
	}
	for _, trial := range docs.trials {
		if want := strings.TrimPrefix(trial.Variant, "txg-timeout="); trial.ModuleParameters[txgTimeout] != want {
			t.Errorf("trial %d of %s ran with %v", trial.Index, trial.Variant, trial.ModuleParameters)
		}
	}
	if !strings.Contains(docs.summary, "Module parameters") {
		t.Errorf("summary.md does not tell of the parameter:\n%s", docs.summary)
	}
}

// parameterOnNode is the value that the node's module has.
func parameterOnNode(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(onNode(t, "cat", "/sys/module/zfs/parameters/"+txgTimeout))
}

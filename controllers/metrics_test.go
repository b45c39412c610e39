// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

// listed is the content of a cache.
type listed []v1alpha1.ZfsBenchmark

func (l listed) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return errors.New("metrics only list")
}

func (l listed) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	list.(*v1alpha1.ZfsBenchmarkList).Items = l
	return nil
}

func TestMetrics(t *testing.T) {
	m := NewMetrics(listed{
		*MakeBenchmark("default", "a").Condition(v1alpha1.ConditionRunning, "!Queued").State("storage-0", nodeQueued).Obj(),
		*MakeBenchmark("default", "b").Condition(v1alpha1.ConditionRunning, "!Queued").State("storage-0", nodeQueued).Obj(),
		*MakeBenchmark("default", "c").Condition(v1alpha1.ConditionComplete, "Complete").State("storage-0",
			nodeComplete).Obj(),
	})
	status := func(completed, failed int32) *v1alpha1.ZfsBenchmarkStatus {
		return &v1alpha1.ZfsBenchmarkStatus{Progress: &v1alpha1.Progress{Trials: v1alpha1.TrialCounts{Total: 9,
			Completed: completed, Failed: failed}}}
	}
	m.observe(&v1alpha1.ZfsBenchmarkStatus{}, status(2, 0))
	m.observe(status(2, 0), status(3, 1))
	m.observe(status(3, 1), status(3, 1))
	m.observe(status(3, 1), &v1alpha1.ZfsBenchmarkStatus{})
	want := `
# HELP zfsbench_benchmarks Number of ZfsBenchmarks by phase.
# TYPE zfsbench_benchmarks gauge
zfsbench_benchmarks{phase="Complete"} 1
zfsbench_benchmarks{phase="Deleting"} 0
zfsbench_benchmarks{phase="Failed"} 0
zfsbench_benchmarks{phase="Pending"} 0
zfsbench_benchmarks{phase="Queued"} 2
zfsbench_benchmarks{phase="Running"} 0
zfsbench_benchmarks{phase="Suspended"} 0
zfsbench_benchmarks{phase="Waiting"} 0
# HELP zfsbench_queue_length Number of ZfsBenchmarks that wait for a node.
# TYPE zfsbench_queue_length gauge
zfsbench_queue_length{node="storage-0"} 2
# HELP zfsbench_trials_total Trials finished since the manager started, by outcome.
# TYPE zfsbench_trials_total counter
zfsbench_trials_total{outcome="completed"} 3
zfsbench_trials_total{outcome="failed"} 1
`
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(m); err != nil {
		t.Fatal(err)
	}
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}

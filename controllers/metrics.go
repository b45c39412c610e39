// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

// scrapeTimeout limits one listing of benchmarks from the cache.
const scrapeTimeout = 5 * time.Second

// Metrics are the operator's own metrics. Benchmarks and queues are counted when they are scraped; trials are counted
// as they are written to status.
type Metrics struct {
	reader     client.Reader
	benchmarks *prometheus.Desc
	queue      *prometheus.Desc
	trials     *prometheus.CounterVec
}

// NewMetrics makes the metrics; reader lists benchmarks, from a cache.
func NewMetrics(reader client.Reader) *Metrics {
	return &Metrics{
		reader:     reader,
		benchmarks: prometheus.NewDesc("zfsbench_benchmarks", "Number of ZfsBenchmarks by phase.", []string{"phase"}, nil),
		queue: prometheus.NewDesc("zfsbench_queue_length", "Number of ZfsBenchmarks that wait for a node.",
			[]string{"node"}, nil),
		trials: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "zfsbench_trials_total", Help: "Trials finished since the manager started, by outcome.",
		}, []string{"outcome"}),
	}
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(ch chan<- *prometheus.Desc) {
	ch <- m.benchmarks
	ch <- m.queue
	m.trials.Describe(ch)
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	m.trials.Collect(ch)
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	var list v1alpha1.ZfsBenchmarkList
	if err := m.reader.List(ctx, &list); err != nil {
		ch <- prometheus.NewInvalidMetric(m.benchmarks, err)
		return
	}
	phases, queues := countBenchmarks(list.Items)
	for phase, n := range phases {
		ch <- prometheus.MustNewConstMetric(m.benchmarks, prometheus.GaugeValue, float64(n), phase)
	}
	for node, n := range queues {
		ch <- prometheus.MustNewConstMetric(m.queue, prometheus.GaugeValue, float64(n), node)
	}
}

// countBenchmarks counts benchmarks by phase, also phases with none, and queued benchmarks by node.
func countBenchmarks(benchmarks []v1alpha1.ZfsBenchmark) (phases, queues map[string]int) {
	phases = map[string]int{
		v1alpha1.PhasePending: 0, v1alpha1.PhaseWaiting: 0, v1alpha1.PhaseQueued: 0, v1alpha1.PhaseRunning: 0,
		v1alpha1.PhaseSuspended: 0, v1alpha1.PhaseComplete: 0, v1alpha1.PhaseFailed: 0, v1alpha1.PhaseDeleting: 0,
	}
	queues = map[string]int{}
	for i := range benchmarks {
		status := &benchmarks[i].Status
		phases[phaseOf(status)]++
		for _, node := range status.Nodes {
			if node.State == nodeQueued {
				queues[node.Name]++
			}
		}
	}
	return phases, queues
}

// observe counts the trials that a status update added.
func (m *Metrics) observe(before, after *v1alpha1.ZfsBenchmarkStatus) {
	if after.Progress == nil {
		return
	}
	var was v1alpha1.TrialCounts
	if before.Progress != nil {
		was = before.Progress.Trials
	}
	is := after.Progress.Trials
	m.trials.WithLabelValues("completed").Add(float64(max(0, is.Completed-was.Completed)))
	m.trials.WithLabelValues("failed").Add(float64(max(0, is.Failed-was.Failed)))
}

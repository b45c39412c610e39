// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"testing"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
)

// fioPlan is the plan of one job on two files.
func fioPlan(t *testing.T, job string, repetitions int) Plan {
	t.Helper()
	return built(t, fmt.Sprintf(`
nodes: {names: [storage-0]}
devices: [{name: f0, file: {size: 1Gi}}, {name: f1, file: {size: 1Gi}}]
pool: {vdevs: [{type: mirror, devices: [f0, f1]}]}
workloads: [{name: a, fio: {%s}}]
repetitions: {min: %d}
`, job, repetitions))
}

func TestTiming(t *testing.T) {
	const fixed = 2*time.Minute + 30*time.Second
	tests := map[string]struct {
		job         string
		repetitions int
		// estimate is of one trial, beside what every trial takes.
		estimate, timeout, grace time.Duration
	}{
		"a short write": {`rw: write, bs: 1m, size: 160Mi`, 1, 10 * time.Second, 15 * time.Minute,
			2*time.Minute + 30*time.Second},
		"many short writes": {`rw: write, bs: 1m, size: 160Mi`, 10, 10 * time.Second, 80 * time.Minute,
			2*time.Minute + 30*time.Second},
		"jobs add up": {`rw: write, bs: 1m, size: 160Mi, numJobs: 6`, 10, time.Minute, 105 * time.Minute,
			3*time.Minute + 20*time.Second},
		"a read is laid out": {`rw: read, bs: 1m, size: 960Mi`, 10, 2 * time.Minute, 135 * time.Minute,
			3*time.Minute + 20*time.Second},
		"random I/O is slow": {`rw: randwrite, bs: 4k, size: 400Mi`, 1, (1024 + 25) * time.Second,
			3 * (1049*time.Second + fixed), 2*time.Minute + 45*time.Second},
		"so are synced writes": {`rw: write, bs: 4k, size: 400Mi, sync: Sync`, 1, 1024 * time.Second,
			3 * (1024*time.Second + fixed), 2*time.Minute + 45*time.Second},
		"a runtime ends it": {`rw: randwrite, bs: 4k, size: 400Mi, runtime: 60s`, 1, (60 + 25) * time.Second,
			15 * time.Minute, 2*time.Minute + 45*time.Second},
		"a runtime too far off": {`rw: write, bs: 1m, size: 160Mi, runtime: 1h`, 1, 10 * time.Second, 15 * time.Minute,
			2*time.Minute + 30*time.Second},
		"time-based": {`rw: write, bs: 1m, size: 160Mi, runtime: 1h, timeBased: true, rampTime: 30s`, 1,
			time.Hour + 30*time.Second, 3 * (time.Hour + 30*time.Second + fixed), 2*time.Minute + 30*time.Second},
		"a rate is slower": {`rw: write, bs: 1m, size: 160Mi, numJobs: 2, rate: 1Mi`, 1, 160 * time.Second,
			15*time.Minute + 30*time.Second, 2*time.Minute + 40*time.Second},
		"so are I/O per second": {`rw: write, bs: 1m, size: 160Mi, rateIOPS: 2`, 1, 80 * time.Second, 15 * time.Minute,
			2*time.Minute + 30*time.Second},
		// The first two share the disk; the third is over before they are.
		"several jobs": {`rw: write, bs: 1m, size: 160Mi, jobs: [{name: a}, {name: b, startDelay: 60s, size: 320Mi}, {name: c, startDelay: 30s, runtime: 10s, timeBased: true}]`,
			1, (30 + 60) * time.Second, 15 * time.Minute, 2*time.Minute + 60*time.Second},
		"more than there can be": {`rw: randread, bs: 4k, size: 64Ti, numJobs: 1000`, 1000, maxTimeout - fixed, maxTimeout,
			6*time.Minute + 36*time.Second},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := fioPlan(t, tt.job, tt.repetitions)
			if got := EstimateTrialDuration(Expand(p, nil)); got != tt.estimate+fixed {
				t.Errorf("EstimateTrialDuration = %v; want %v", got, tt.estimate+fixed)
			}
			if got := DefaultTimeout(p); got != tt.timeout || p.Timeout() != tt.timeout {
				t.Errorf("DefaultTimeout = %v, and of the plan %v; want %v", got, p.Timeout(), tt.timeout)
			}
			if got := GracePeriod(p); got != tt.grace {
				t.Errorf("GracePeriod = %v; want %v", got, tt.grace)
			}
		})
	}
}

func TestToolDeadline(t *testing.T) {
	tests := map[string]struct {
		job            string
		timeoutSeconds int64 // 0: the default
		want           time.Duration
	}{
		"short":                  {`rw: write, bs: 1m, size: 160Mi`, 0, 15 * time.Minute},
		"long":                   {`rw: randwrite, bs: 4k, size: 400Mi`, 0, 3 * (1024 + 25) * time.Second},
		"a timeout of an hour":   {`rw: write, bs: 1m, size: 160Mi`, 3600, time.Hour},
		"a timeout of a minute":  {`rw: write, bs: 1m, size: 160Mi`, 60, 15 * time.Minute},
		"more than there can be": {`rw: randread, bs: 4k, size: 64Ti, numJobs: 1000`, 0, maxTimeout},
	}
	for name, tt := range tests {
		p := fioPlan(t, tt.job, 1)
		if tt.timeoutSeconds > 0 {
			p.TimeoutSeconds = tt.timeoutSeconds
		}
		if got := ToolDeadline(Expand(p, nil), p.Workloads[0]); got != tt.want {
			t.Errorf("%s: %v; want %v", name, got, tt.want)
		}
	}
	// A script has its own, however long the benchmark may take.
	p := fioPlan(t, `rw: write, bs: 1m, size: 160Mi`, 1)
	p.TimeoutSeconds = 3600
	if got := ToolDeadline(Expand(p, nil), v1alpha1.Workload{
		Script: &v1alpha1.ScriptWorkload{},
	}); got != v1alpha1.DefaultScriptTimeout {
		t.Errorf("a script: %v", got)
	}
}

func TestDurationOfAllTrials(t *testing.T) {
	tests := map[string]struct {
		job         string
		repetitions int
		least, slow time.Duration
	}{
		"as fast as it goes": {`rw: write, bs: 1m, size: 160Mi, runtime: 1h`, 2, 0, 2 * (2*time.Minute + 40*time.Second)},
		"time-based": {`rw: write, bs: 1m, size: 160Mi, runtime: 60s, timeBased: true, rampTime: 5s`, 3,
			195 * time.Second, 3 * (2*time.Minute + 95*time.Second)},
		"several jobs": {`rw: write, bs: 1m, size: 16Mi, runtime: 60s, timeBased: true, jobs: [{name: a}, {name: b, startDelay: 30s, rampTime: 5s}]`, 1, 95 * time.Second, 2*time.Minute + 125*time.Second},
		"more than there can be": {`rw: write, bs: 1m, size: 1Mi, runtime: 168h, timeBased: true`, 1000, maxTimeout,
			maxTimeout},
	}
	for name, tt := range tests {
		p := fioPlan(t, tt.job, tt.repetitions)
		if got := LeastDuration(p); got != tt.least {
			t.Errorf("%s: LeastDuration = %v, want %v", name, got, tt.least)
		}
		if got := EstimateDuration(Expand(p, nil)); got != tt.slow {
			t.Errorf("%s: EstimateDuration = %v, want %v", name, got, tt.slow)
		}
	}
}

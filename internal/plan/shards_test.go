// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestResultsShards(t *testing.T) {
	tests := map[string]struct {
		trials, workloads int
		want, ofLast      int
	}{
		"one trial":                         {1, 1, 1, 0},
		"as many as fit":                    {32, 1, 1, 0},
		"one more":                          {33, 1, 2, 1},
		"many workloads":                    {1000, 7, 125, 124},
		"as many workloads as there can be": {481, 16, 161, 160},
		"as many trials as there can be":    {10000, 1, 129, 128},
		"no trials":                         {0, 1, 0, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := Plan{Trials: make([]Trial, tt.trials), Workloads: make([]v1alpha1.Workload, tt.workloads)}
			if got := ResultsShards(p); got != tt.want {
				t.Errorf("ResultsShards = %d; want %d", got, tt.want)
			}
			if got := ResultsShard(p, max(0, tt.trials-1)); got != tt.ofLast {
				t.Errorf("ResultsShard of the last trial = %d; want %d", got, tt.ofLast)
			}
		})
	}
}

// TestShardsHoldTheirTrials: the trials of one shard, at their largest, are no more than it may hold.
func TestShardsHoldTheirTrials(t *testing.T) {
	for i := range 32 {
		trials, workloads := []int{100, 1600}[i/16], i%16+1
		p := Plan{Trials: make([]Trial, trials), Workloads: make([]v1alpha1.Workload, workloads)}
		held := map[int]int{}
		for i := range p.Trials {
			held[ResultsShard(p, i)] += TrialBytes(p)
		}
		for shard, bytes := range held {
			if bytes > shardBytes {
				t.Errorf("%d workloads: shard %d holds %d bytes", workloads, shard, bytes)
			}
		}
		if len(held) != ResultsShards(p) {
			t.Errorf("%d workloads: %d shards are used, ResultsShards = %d", workloads, len(held), ResultsShards(p))
		}
	}
}

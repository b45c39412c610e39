// SPDX-License-Identifier: Apache-2.0

package plan

import "zfsbench.io/operator/internal/spec/validate"

const (
	// shardBytes is what one results ConfigMap may hold.
	shardBytes = 256 << 10
	// sampleBytes and trialBytes are what a compressed sample, and a trial beside its samples, may take at most.
	sampleBytes = 4 << 10
	trialBytes  = 4 << 10
)

// TrialBytes is what the document of each trial of the plan may take: 4 KiB, and 4 KiB for each workload, or for each
// of its passes; or, in a plan of very many trials, an equal share of validate.MaxResultsBytes, into which they fit
// without their histograms.
func TrialBytes(p Plan) int {
	return min(trialBytes+sampleBytes*len(p.Runs()), validate.MaxResultsBytes/max(1, len(p.Trials)))
}

// ResultsShards is the number of results ConfigMaps that hold every trial of the plan.
func ResultsShards(p Plan) int {
	if len(p.Trials) == 0 {
		return 0
	}
	return ResultsShard(p, len(p.Trials)-1) + 1
}

// ResultsShard is the number, from 0, of the results ConfigMap that holds a trial.
func ResultsShard(p Plan, trial int) int { return trial / trialsPerShard(p) }

// trialsPerShard is how many trials of any size fit into one ConfigMap; at least 1.
func trialsPerShard(p Plan) int {
	return max(1, shardBytes/TrialBytes(p))
}

// SPDX-License-Identifier: Apache-2.0

package plan

const (
	// shardBytes is what one results ConfigMap may hold.
	shardBytes = 256 << 10
	// sampleBytes and trialBytes are what a compressed sample, and a trial beside its samples, may take at most.
	sampleBytes = 4 << 10
	trialBytes  = 4 << 10
)

// ResultsShards is the number of results ConfigMaps that hold every trial of the plan.
func ResultsShards(p Plan) int {
	if len(p.Trials) == 0 {
		return 0
	}
	return ResultsShard(p, len(p.Trials)-1) + 1
}

// ResultsShard is the number, from 0, of the results ConfigMap that holds a trial.
func ResultsShard(p Plan, trial int) int { return trial / trialsPerShard(p) }

// trialsPerShard is how many trials fit into one ConfigMap whatever their samples are; at least 1.
func trialsPerShard(p Plan) int {
	return max(1, shardBytes/(trialBytes+sampleBytes*len(p.Workloads)))
}

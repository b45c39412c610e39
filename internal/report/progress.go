// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// NodeProgress is the progress of one node.
type NodeProgress struct {
	// Planned is how many trials the node's plan has; Completed and Failed are how many of them have finished.
	Planned, Completed, Failed int
	// Current is nil between trials.
	Current *result.CurrentTrial
	// Durations are how long the successful trials took.
	Durations []time.Duration
	// Ended says that the node will run nothing more, even if trials are left.
	Ended bool
}

// Progress adds up nodes. parallel is how many of them run at the same time, 0 for all. The estimated completion is now
// plus the time of the remaining trials, each at the node's median duration so far; a node without trials uses the
// median of all nodes. It is unset before the first trial has succeeded and when nothing is left.
func Progress(nodes []NodeProgress, parallel int, now time.Time) v1alpha1.Progress {
	var out v1alpha1.Progress
	var done float64
	for _, n := range nodes {
		out.Trials.Total += int32(n.Planned)
		out.Trials.Completed += int32(n.Completed)
		out.Trials.Failed += int32(n.Failed)
		done += float64(n.Planned) - n.left()
		if c := n.Current; c != nil && out.CurrentVariant == "" {
			out.CurrentVariant, out.CurrentRepetition, out.CurrentWorkload = c.Variant,
				int32(min(c.Repetition, math.MaxInt32)), c.Workload
		}
	}
	if out.Trials.Total > 0 {
		out.Percent = int32(math.Floor(100 * done / float64(out.Trials.Total)))
	}
	if out.Trials.Completed+out.Trials.Failed < out.Trials.Total {
		out.Percent = min(out.Percent, 99)
	}
	if left := remaining(nodes, parallel); left > 0 {
		out.EstimatedCompletionTime = &metav1.Time{Time: now.Add(left).Truncate(time.Second)}
	}
	return out
}

// maxRemaining limits estimates: 30 years.
const maxRemaining = float64(30 * 365 * 24 * time.Hour)

// left is the number of trials that are not finished; the current one counts in part.
func (n NodeProgress) left() float64 {
	left := float64(n.Planned - n.Completed - n.Failed)
	if n.Current != nil {
		left -= float64(min(max(n.Current.Percent, 0), 100)) / 100
	}
	return max(left, 0)
}

// remaining is the time of the node with the most work left, or the time of all work divided by the number of nodes
// that run at the same time, whichever is longer.
func remaining(nodes []NodeProgress, parallel int) time.Duration {
	var all []time.Duration
	for _, n := range nodes {
		all = append(all, n.Durations...)
	}
	if len(all) == 0 {
		return 0
	}
	var longest, total float64
	for _, n := range nodes {
		if n.Ended {
			continue
		}
		durations := n.Durations
		if len(durations) == 0 {
			durations = all
		}
		left := n.left() * median(durations)
		longest, total = max(longest, left), total+left
	}
	if parallel <= 0 {
		parallel = len(nodes)
	}
	// The conversion of a larger float64 is undefined.
	return time.Duration(min(max(longest, total/float64(parallel)), maxRemaining))
}

func median(durations []time.Duration) float64 {
	values := make([]float64, 0, len(durations))
	for d := range slices.Values(durations) {
		values = append(values, float64(d))
	}
	return stats.Median(values)
}

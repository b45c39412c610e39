// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// concluded is a scope of several nodes: name, state, message and whether it was given back.
type concluded struct {
	name, state, reason, message string
	done                         bool
	reported                     string
}

func concludedScope(dryRun bool, nodes []concluded) *scope {
	b := MakeBenchmark("default", "a")
	if dryRun {
		b = b.DryRun()
	}
	s := &scope{benchmark: b.Obj(), now: testNow()}
	for _, node := range nodes {
		b.State(node.name, node.state)
		status := &b.b.Status.Nodes[len(b.b.Status.Nodes)-1]
		status.Reason, status.Message, status.Trials.Total = node.reason, node.message, 2
		n := &nodeRun{name: node.name, cleanupStep: cleanupStep{done: node.done, note: "Being cleaned."}}
		if node.reported != "" {
			n.progress = &result.Progress{State: node.reported}
		}
		s.runs = append(s.runs, n)
	}
	s.status().Progress = &v1alpha1.Progress{Trials: v1alpha1.TrialCounts{Total: int32(2 * len(nodes))}}
	return s
}

func TestRunningNow(t *testing.T) {
	type want struct {
		OK              bool
		Reason, Message string
	}
	tests := map[string]struct {
		nodes []concluded
		want  want
	}{
		"starting": {[]concluded{{name: "a", state: nodeRunning, message: "M."}}, want{true, v1alpha1.ReasonStarting, "M."}},
		"running": {[]concluded{{name: "a", state: nodeRunning, message: "M.", reported: result.StateRunning}},
			want{true, v1alpha1.ReasonRunning, "M."}},
		"one runs, one waits": {
			[]concluded{{name: "a", state: nodeQueued, message: "Q."},
				{name: "b", state: nodeRunning, message: "M.", reported: result.StatePreflight}},
			want{true, v1alpha1.ReasonRunning, "b: M."},
		},
		"all queued": {
			[]concluded{{name: "a", state: nodeQueued, message: "1st."}, {name: "b", state: nodeQueued, message: "2nd."}},
			want{false, v1alpha1.ReasonQueued, "a: 1st. b: 2nd."},
		},
		"suspended": {[]concluded{{name: "a", state: nodeSuspended, message: "S."}},
			want{false, v1alpha1.ReasonSuspended, "S."}},
		"failed, being cleaned": {
			[]concluded{{name: "a", state: nodeFailed, reported: result.StateRunning}},
			want{true, v1alpha1.ReasonRunning, "Being cleaned."},
		},
		"one done, one suspended": {
			[]concluded{{name: "a", state: nodeComplete, done: true}, {name: "b", state: nodeSuspended, message: "S."}},
			want{false, v1alpha1.ReasonSuspended, "b: S."},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ok, reason, message := concludedScope(false, tt.nodes).runningNow()
			if diff := cmp.Diff(tt.want, want{ok, reason, message}); diff != "" {
				t.Errorf("Running (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFinish(t *testing.T) {
	tests := map[string]struct {
		dryRun bool
		nodes  []concluded
		want   map[string]string // condition: reason and message
	}{
		"still running":  {false, []concluded{{name: "a", state: nodeRunning}}, nil},
		"not given back": {false, []concluded{{name: "a", state: nodeComplete}}, nil},
		"one of two": {false, []concluded{{name: "a", state: nodeComplete, done: true}, {name: "b", state: nodeQueued}},
			nil},
		"complete": {false, []concluded{{name: "a", state: nodeComplete, done: true},
			{name: "b", state: nodeComplete, done: true}}, map[string]string{
			v1alpha1.ConditionComplete: "Complete: All 4 trials have results, from a +1.",
			v1alpha1.ConditionRunning:  "Complete: All 4 trials have results, from a +1.",
			v1alpha1.ConditionFinished: "Complete: All 4 trials have results, from a +1.",
		}},
		"dry run": {true, []concluded{{name: "a", state: nodeComplete, done: true}}, map[string]string{
			v1alpha1.ConditionComplete: "DryRunPassed: The preflight passed on a; nothing was written to any device.",
			v1alpha1.ConditionRunning:  "DryRunPassed: The preflight passed on a; nothing was written to any device.",
			v1alpha1.ConditionFinished: "DryRunPassed: The preflight passed on a; nothing was written to any device.",
		}},
		"one failed": {false, []concluded{
			{name: "a", state: nodeComplete, done: true},
			{name: "b", state: nodeFailed, reason: v1alpha1.ReasonTimedOut, message: "Too slow.", done: true},
		}, map[string]string{
			v1alpha1.ConditionFailed:   "TimedOut: Node b: Too slow.",
			v1alpha1.ConditionRunning:  "TimedOut: Node b: Too slow.",
			v1alpha1.ConditionFinished: "TimedOut: Node b: Too slow.",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := concludedScope(tt.dryRun, tt.nodes)
			if finished := s.finish(); finished != (tt.want != nil) {
				t.Fatalf("finish = %v", finished)
			}
			var got map[string]string
			for _, c := range s.status().Conditions {
				if got == nil {
					got = map[string]string{}
				}
				got[c.Type] = c.Reason + ": " + c.Message
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
			if finished := meta.IsStatusConditionTrue(s.status().Conditions,
				v1alpha1.ConditionFinished); finished != (s.status().CompletionTime != nil) {
				t.Errorf("completion time is %v", s.status().CompletionTime)
			}
		})
	}
}

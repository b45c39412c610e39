// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

func testPlan() plan.Plan {
	return plan.Plan{
		Node: plan.Node{Name: "storage-0"}, TimeoutSeconds: 3600,
		Workloads: []v1alpha1.Workload{{Name: "seq-write", Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite}}},
		Trials:    []plan.Trial{{Index: 0, Variant: "default", Repetition: 1}, {Index: 1, Variant: "default", Repetition: 2}},
	}
}

// testTrial is the trial of testPlan at an index, with one sample that writes.
func testTrial(index int) result.Trial {
	started := testNow().Add(time.Duration(index) * time.Minute)
	return result.Trial{
		Version: result.Version, PlanDigest: testDigest(), Index: index, Variant: "default", Repetition: index + 1,
		Node:    "storage-0",
		Started: started, Finished: started.Add(30 * time.Second),
		Samples: []result.Sample{{Workload: "seq-write", Tool: "fio", ToolVersion: "fio-3.39", CacheState: "Cold",
			Started: started}},
	}
}

func TestDecodeTrials(t *testing.T) {
	encode := func(change func(*result.Trial)) []byte {
		trial := testTrial(1)
		change(&trial)
		data, err := result.EncodeTrial(trial)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	same := func(*result.Trial) {}
	tests := map[string]struct {
		key  string
		data []byte
		want string // in the error
	}{
		"as planned":          {"trial-00001.json.gz", encode(same), ""},
		"not a trial":         {"trial-00001.json.gz", []byte("rm -rf /"), "trial document"},
		"under another key":   {"trial-00000.json.gz", encode(same), "its key is another trial's"},
		"under a strange key": {"notes.txt", encode(same), "its key belongs to no trial"},
		"not in the plan": {"trial-00002.json.gz", encode(func(tr *result.Trial) {
			tr.Index = 2
		}), "its key belongs to no trial"},
		"of another plan": {"trial-00001.json.gz", encode(func(tr *result.Trial) {
			tr.PlanDigest = "sha256:" + strings.Repeat("1", 64)
		}), "another plan"},
		"of another variant": {"trial-00001.json.gz", encode(func(tr *result.Trial) {
			tr.Variant = "other"
		}), `the plan says repetition 2 of "default"`},
		"of another node": {"trial-00001.json.gz", encode(func(tr *result.Trial) { tr.Node = "other" }), `on "storage-0"`},
		"strange workload": {"trial-00001.json.gz", encode(func(tr *result.Trial) {
			tr.Samples[0].Workload = "mine"
		}), "not a workload of the plan"},
		"run again": {"trial-00001.json.gz", encode(func(tr *result.Trial) {
			tr.Excluded = testAttempts(2, v1alpha1.ReasonVdevErrors, "seq-write")
		}), ""},
		"excluded at will": {
			"trial-00001.json.gz", encode(func(tr *result.Trial) {
				tr.Excluded = testAttempts(1, v1alpha1.ReasonRunnerFailed, "seq-write")
			}), "not a valid reason",
		},
		"strange workload excluded": {
			"trial-00001.json.gz", encode(func(tr *result.Trial) {
				tr.Excluded = testAttempts(1, v1alpha1.ReasonVdevErrors, "mine")
			}), `measured "mine"`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			shard := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "zb-1-results-0"},
				BinaryData: map[string][]byte{tt.key: tt.data}}
			trials, err := decodeTrials(testPlan(), testDigest(), []*corev1.ConfigMap{shard})
			if tt.want == "" {
				if err != nil || len(trials) != 1 || trials[0].Index != 1 {
					t.Errorf("decodeTrials = %v, %v", trials, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "zb-1-results-0") {
				t.Errorf("decodeTrials = %v, want an error that names the ConfigMap and %q", err, tt.want)
			}
		})
	}
}

// testAttempts are excluded attempts that measured a workload.
func testAttempts(n int, reason, workload string) []result.Attempt {
	var attempts []result.Attempt
	for range n {
		attempts = append(attempts, result.Attempt{Failure: result.Failure{Reason: reason},
			Bandwidths: []result.Bandwidth{{Workload: workload}}})
	}
	return attempts
}

func TestDecodeTrialsRunAgainTooOften(t *testing.T) {
	shard := &corev1.ConfigMap{BinaryData: map[string][]byte{}}
	for index := range 2 {
		trial := testTrial(index)
		trial.Excluded = testAttempts(2, v1alpha1.ReasonVdevErrors, "seq-write")
		data, err := result.EncodeTrial(trial)
		if err != nil {
			t.Fatal(err)
		}
		shard.BinaryData[result.TrialKey(index)] = data
	}
	if _, err := decodeTrials(testPlan(), testDigest(), []*corev1.ConfigMap{shard}); err == nil ||
		!strings.Contains(err.Error(), "4 attempts were excluded") {
		t.Errorf("decodeTrials = %v, want an error about too many reruns", err)
	}
}

func TestDecodeTrialsTwice(t *testing.T) {
	data, err := result.EncodeTrial(testTrial(0))
	if err != nil {
		t.Fatal(err)
	}
	shards := []*corev1.ConfigMap{
		{BinaryData: map[string][]byte{"trial-00000.json.gz": data}},
		{BinaryData: map[string][]byte{"trial-00000.json.gz": data}},
	}
	if _, err := decodeTrials(testPlan(), testDigest(), shards); err == nil ||
		!strings.Contains(err.Error(), "two results") {
		t.Errorf("decodeTrials = %v, want an error about two results", err)
	}
}

func TestDurations(t *testing.T) {
	backwards, failed := testTrial(0), testTrial(0)
	backwards.Finished = backwards.Started.Add(-time.Hour)
	endless := testTrial(0)
	endless.Finished = endless.Started.AddDate(7000, 0, 0)
	failed.Failure = &result.Failure{Reason: v1alpha1.ReasonWorkloadFailed}
	want := []time.Duration{30 * time.Second, 0, time.Hour}
	if diff := cmp.Diff(want, durations(testPlan(),
		[]result.Trial{testTrial(1), backwards, failed, endless})); diff != "" {
		t.Errorf("durations (-want +got):\n%s", diff)
	}
}

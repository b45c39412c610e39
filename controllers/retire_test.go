// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestTimeToLive(t *testing.T) {
	tests := map[string]struct {
		ttl      *int32
		end      *metav1.Time
		wantLeft time.Duration
		wantOK   bool
	}{
		"for ever":     {nil, ptr.To(metav1.NewTime(testNow())), 0, false},
		"not finished": {ptr.To[int32](60), nil, 0, false},
		"just ended":   {ptr.To[int32](60), ptr.To(metav1.NewTime(testNow())), time.Minute, true},
		"over":         {ptr.To[int32](60), ptr.To(metav1.NewTime(testNow().Add(-time.Hour))), -59 * time.Minute, true},
		"at once":      {ptr.To[int32](0), ptr.To(metav1.NewTime(testNow())), 0, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := MakeBenchmark("default", "a").Obj()
			b.Spec.TTLSecondsAfterFinished, b.Status.CompletionTime = tt.ttl, tt.end
			left, ok := timeToLive(b, testNow())
			if left != tt.wantLeft || ok != tt.wantOK {
				t.Errorf("timeToLive = %v, %v, want %v, %v", left, ok, tt.wantLeft, tt.wantOK)
			}
		})
	}
}

func TestDropsEvidence(t *testing.T) {
	tests := map[string]struct {
		policy v1alpha1.CleanupPolicy
		failed bool
		want   bool
	}{
		"success, default": {"", false, true},
		"failure, default": {"", true, false},
		"success":          {v1alpha1.CleanupOnSuccess, false, true},
		"failure":          {v1alpha1.CleanupOnSuccess, true, false},
		"always":           {v1alpha1.CleanupAlways, true, true},
		"never":            {v1alpha1.CleanupNever, false, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := MakeBenchmark("default", "a").Cleanup(tt.policy)
			if tt.failed {
				b = b.Condition(v1alpha1.ConditionFailed, "TimedOut")
			}
			if got := dropsEvidence(b.Obj()); got != tt.want {
				t.Errorf("dropsEvidence = %v, want %v", got, tt.want)
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/caveats"
)

func TestWarn(t *testing.T) {
	s := &scope{benchmark: MakeBenchmark("default", "b").Obj(), now: testNow()}
	warning := func(kind string, workload int) caveats.Warning {
		return caveats.Warning{Kind: kind, Node: "storage-0", Variant: "default", Workload: fmt.Sprintf("w%d", workload),
			Message: "It is not so."}
	}
	var many []caveats.Warning
	for i := range 5 {
		many = append(many, warning(v1alpha1.ConditionTooShort, i))
	}
	s.warn(append(many, warning(v1alpha1.ConditionFileVdevs, 0)))
	short := meta.FindStatusCondition(s.status().Conditions, v1alpha1.ConditionTooShort)
	if short == nil || short.Status != metav1.ConditionTrue || !strings.Contains(short.Message, "w2") ||
		strings.Contains(short.Message, "w3") || !strings.Contains(short.Message, "2 more") {
		t.Errorf("condition %+v", short)
	}
	if len(s.status().Conditions) != 2 {
		t.Errorf("conditions %+v, want two", s.status().Conditions)
	}
	s.warn(many[:1])
	if meta.FindStatusCondition(s.status().Conditions, v1alpha1.ConditionFileVdevs) != nil ||
		len(s.status().Conditions) != 1 {
		t.Errorf("conditions %+v, want the first warning only", s.status().Conditions)
	}
}

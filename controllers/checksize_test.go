// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"math"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
)

// usable is what the Go runtime of a manager with the chart's limit of 512 MiB may use.
const usable = (512 << 20) * 85 / 100

func TestRefuseSize(t *testing.T) {
	tests := map[string]struct {
		nodes, trials, samples int
		memory                 int64
		want                   string
	}{
		"a large matrix":    {nodes: 1, trials: 1024 * 6, samples: 1, memory: usable},
		"several workloads": {nodes: 1, trials: 1100, samples: 8, memory: usable},
		"several nodes":     {nodes: 8, trials: 400, samples: 1, memory: usable},
		"the largest of all": {nodes: 1, trials: 9996, samples: 1, memory: usable,
			want: "To report on 9,996 trials the manager would need about 469 MiB of memory. It may use 307 MiB for this, " +
				"which is enough for 6,553 trials: "},
		"too many nodes":   {nodes: 64, trials: 600, samples: 1, memory: usable, want: "To report on 38,400 trials"},
		"with more memory": {nodes: 1, trials: 10000, samples: 1, memory: (768 << 20) * 85 / 100},
		"too little for anything": {nodes: 1, trials: 1, samples: 1, memory: 64 << 20,
			want: "manager.resources.limits.memory"},
		"any number":           {nodes: 64, trials: 9996, samples: 16, memory: math.MaxInt64},
		"nobody said how much": {nodes: 64, trials: 9996, samples: 16},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := refuseSize(tt.nodes, tt.trials, tt.samples, tt.memory)
			if (got != nil) != (tt.want != "") ||
				got != nil && (got.reason != v1alpha1.ReasonTooManyTrials || !strings.Contains(got.message, tt.want)) {
				t.Errorf("%+v, want %q", got, tt.want)
			}
		})
	}
}

func TestSelectorOfTooManyNodes(t *testing.T) {
	nodes := map[string]*corev1.Node{}
	add := func(count int) {
		for len(nodes) < count {
			name := strings.Repeat("n", len(nodes)+1)
			nodes[name] = MakeNode(name).Obj()
			nodes[name].Labels = map[string]string{"storage": "yes"}
		}
	}
	spec := v1alpha1.NodesSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"storage": "yes"}}}
	add(validate.MaxNodes)
	if names, refused := resolveNodes(spec, nodes); refused != nil || len(names) != validate.MaxNodes {
		t.Errorf("%d nodes: %d names, %+v", len(nodes), len(names), refused)
	}
	add(70)
	names, refused := resolveNodes(spec, nodes)
	if refused == nil || refused.reason != v1alpha1.ReasonTooManyNodes || len(names) > 0 {
		t.Fatalf("%d nodes: %d names, %+v", len(nodes), len(names), refused)
	}
	for _, word := range []string{"70 nodes", "storage=yes", "at most 64"} {
		if !strings.Contains(refused.message, word) {
			t.Errorf("%q does not say %q", refused.message, word)
		}
	}
}

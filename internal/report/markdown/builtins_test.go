// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// A reader sees what ran, defaults included.
func TestDescribeBuiltins(t *testing.T) {
	tests := map[string]struct {
		workload v1alpha1.Workload
		want     string
	}{
		"streams": {
			v1alpha1.Workload{Streams: &v1alpha1.StreamsWorkload{Size: resource.MustParse("1Gi")}},
			"Workload w: 1, 2, 4, 8 sequential streams at once, 1 GiB for each, blocks of 128 KiB, write, read; cache Cold",
		},
		"a copy": {
			v1alpha1.Workload{Copy: &v1alpha1.CopyWorkload{Tool: v1alpha1.CopyRsync,
				MaxTime: &metav1.Duration{Duration: time.Minute}}},
			"Workload w: rsync -a of a tree of 11 directories and 1100 files of 4 KiB, for at most 1m0s; cache Cold",
		},
		"a corpus": {
			v1alpha1.Workload{Corpus: &v1alpha1.CorpusWorkload{Seed: 3, Parts: []v1alpha1.CorpusPart{
				{Content: v1alpha1.CorpusText, Size: resource.MustParse("1Gi")},
				{Content: v1alpha1.CorpusRandom, Size: resource.MustParse("4Gi"), Copies: 4},
			}}},
			"Workload w: corpus of 1 GiB of Text; 4 GiB of Random, each file 4 times; files of 1 MiB, seed 3; cache Cold",
		},
		"a corpus of a claim": {
			v1alpha1.Workload{Corpus: &v1alpha1.CorpusWorkload{
				PersistentVolumeClaim: &v1alpha1.CorpusFromClaim{ClaimName: "given", Path: "/sources",
					Size: resource.MustParse("1Gi")},
			}},
			"Workload w: corpus copied from /sources of the PersistentVolumeClaim given, at most 1 GiB; cache Cold",
		},
		"a corpus that is copied": {
			v1alpha1.Workload{Corpus: &v1alpha1.CorpusWorkload{Image: &v1alpha1.CorpusFromImage{Image: "data:1",
				Size: resource.MustParse("1Gi")}}},
			"Workload w: corpus copied from / of the image data:1, at most 1 GiB; cache Cold",
		},
		"a script": {
			v1alpha1.Workload{Script: &v1alpha1.ScriptWorkload{
				Image: "tools:1", Command: []string{"sh", "-c", "a |\n  b <x" + strings.Repeat("y", 200)},
				Metrics: []v1alpha1.ScriptMetric{{Name: "load", Unit: v1alpha1.ScriptSeconds},
					{Name: "rows", Unit: v1alpha1.ScriptPerSecond}},
			}},
			`Workload w: script sh -c a \| b \<x` + strings.Repeat("y", 106) +
				`… in the image tools:1, for at most 10m0s, load in Seconds, rows in PerSecond; cache Cold`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.workload.Name = "w"
			if diff := cmp.Diff(tt.want, describeOther(tt.workload)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package streams

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestArgv(t *testing.T) {
	size := resource.MustParse("1Mi")
	full := v1alpha1.StreamsWorkload{Counts: []int32{3, 6}, Size: size, BlockSize: ptr.To(resource.MustParse("1k")),
		Phases: []v1alpha1.StreamsPhase{"read"}}
	tests := map[string]struct {
		workload v1alpha1.StreamsWorkload
		layout   bool
		want     string
	}{
		"defaults": {v1alpha1.StreamsWorkload{Size: size}, false,
			"--counts=1,2,4,8 --size=1048576 --block-size=131072 --phases=write,read --seed=5"},
		"full":   {full, false, "--counts=3,6 --size=1048576 --block-size=1000 --phases=read --seed=5"},
		"layout": {full, true, "--counts=3,6 --size=1048576 --block-size=1000 --phases=write --seed=5"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(Argv(tt.workload, "/target/w", "/out/r", 5, tt.layout), " ")
			if diff := cmp.Diff("runner streams --directory=/target/w --report=/out/r "+tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What is read alone has to be there; a file is never shared.
func TestFiles(t *testing.T) {
	tests := map[string]struct {
		workload v1alpha1.StreamsWorkload
		layout   bool
		files    int64
		most     int
	}{
		"defaults": {v1alpha1.StreamsWorkload{}, false, 15, 8},
		"read":     {v1alpha1.StreamsWorkload{Counts: []int32{16, 1}, Phases: []v1alpha1.StreamsPhase{"read"}}, true, 17, 16},
		"write":    {v1alpha1.StreamsWorkload{Counts: []int32{1}, Phases: []v1alpha1.StreamsPhase{"write"}}, false, 1, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if NeedsLayout(tt.workload) != tt.layout || Files(tt.workload) != tt.files || Most(tt.workload) != tt.most {
				t.Errorf("layout %t, %d files, at most %d at once", NeedsLayout(tt.workload), Files(tt.workload), Most(tt.workload))
			}
		})
	}
}

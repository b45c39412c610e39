// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestNeedsOf(t *testing.T) {
	size := resource.MustParse("1Gi")
	tests := map[string]struct {
		workload v1alpha1.FioWorkload
		want     Needs
	}{
		"defaults": {v1alpha1.FioWorkload{RW: "write", Size: size}, Needs{Tasks: 1, DataBytes: 2<<20 + 8<<10}},
		"jobs": {v1alpha1.FioWorkload{RW: "read", BS: "1M", Size: size, NumJobs: 1000},
			Needs{Tasks: 1000, DataBytes: 4 << 20}},
		"depth": {v1alpha1.FioWorkload{RW: "read", BS: "1M", Size: size, NumJobs: 2, IOEngine: "libaio", IODepth: 64},
			Needs{Tasks: 2, DataBytes: 130 << 20}},
		"io_uring": {v1alpha1.FioWorkload{RW: "read", BS: "4k", Size: size, NumJobs: 2, IOEngine: "io_uring",
			IODepth: 64}, Needs{Tasks: 130, DataBytes: 2<<20 + 512<<10, IOUring: true}},
		"posixaio": {v1alpha1.FioWorkload{RW: "read", BS: "4k", Size: size, NumJobs: 2, IOEngine: "posixaio"},
			Needs{Tasks: 50, DataBytes: 194<<20 + 8<<10}},
		"random": {v1alpha1.FioWorkload{RW: "randrw", BS: "4k", Size: resource.MustParse("64Ti")},
			Needs{Tasks: 1, DataBytes: 4<<30 + 2<<20 + 8<<10}},
		"no block size": {v1alpha1.FioWorkload{RW: "read", BS: "x", Size: size, IOEngine: "io_uring"}, Needs{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, NeedsOf(tt.workload)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

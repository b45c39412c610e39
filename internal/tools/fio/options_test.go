// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// A preset is what it stands for, and every job has its options after its name.
func TestFioOptions(t *testing.T) {
	rate, small := resource.MustParse("1Mi"), resource.MustParse("1Mi")
	base := v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, BS: "128k", Size: resource.MustParse("1Gi"), Rate: &rate}
	named, sized := base, base
	named.Preset, sized.TimeBased = "sequential-write", new(false)
	several := base
	several.Jobs = []v1alpha1.FioJob{{Name: "a"},
		{Name: "b", StartDelay: &metav1.Duration{Duration: time.Second}, Size: &small, RateIOPS: 5}}
	alone := map[string]string{"rw": "write", "bs": "131072", "size": "1073741824", "rate": "1048576"}
	tests := map[string]struct {
		workload v1alpha1.FioWorkload
		want     map[string]string
	}{
		"alone":          {base, alone},
		"as a preset":    {named, alone},
		"not for a time": {sized, alone},
		"each of two jobs": {several, map[string]string{
			"a.rw": "write", "a.bs": "131072", "a.size": "1073741824", "a.rate": "1048576", "a.startDelay": "0s",
			"a.ioDepth": "1",
			"b.rw":      "write", "b.bs": "131072", "b.size": "1048576", "b.rateIOPS": "5", "b.startDelay": "1s",
			"b.ioDepth": "1",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Tool{FioWorkload: tt.workload}.Options()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

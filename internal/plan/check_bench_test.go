// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
)

// BenchmarkCheck checks a plan of as many variants as there may be, each with a pool and a dataset of its own. A runner
// does so once at its start, on nodes that may be slow.
func BenchmarkCheck(b *testing.B) {
	p := built(b, onDisks)
	first := p.Variants[0]
	p.Variants, p.Trials = nil, nil
	for i := range 1024 {
		v := first
		v.Name = fmt.Sprintf("v%d", i)
		v.Pool.Ashift = new(int32(9 + i%8))
		v.Pool.Properties = v1alpha1.PoolProperties{"autotrim": []v1alpha1.PropertyValue{"on", "off"}[i%2]}
		v.Dataset.Properties = v1alpha1.DatasetProperties{
			"compression": v1alpha1.PropertyValue(fmt.Sprintf("zstd-%d", 1+i%19)),
			"recordsize":  v1alpha1.PropertyValue(fmt.Sprintf("%dK", 1<<(i%10))),
			"copies":      v1alpha1.PropertyValue(fmt.Sprint(1 + i%3)),
		}
		p.Variants = append(p.Variants, v)
		p.Trials = append(p.Trials, Trial{Index: i, Variant: v.Name, Repetition: 1})
	}
	for b.Loop() {
		if err := check(p); err != nil {
			b.Fatal(err)
		}
	}
}

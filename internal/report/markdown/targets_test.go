// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestPool(t *testing.T) {
	four := []string{"d0", "d1", "d2", "d3"}
	log := []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"d4"}}}
	tests := map[string]struct {
		pool v1alpha1.PoolSpec
		want string
	}{
		"vdevs": {v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{{Type: v1alpha1.VdevRaidz1, Devices: four}}, Log: log},
			"raidz1 d0 d1 d2 d3 log d4"},
		"a layout": {v1alpha1.PoolSpec{Layout: v1alpha1.LayoutMirror, Devices: four, Log: log, Ashift: new(int32(12))},
			"mirror d0 d1 mirror d2 d3 log d4; ashift=12"},
		"devices of layouts in the matrix": {v1alpha1.PoolSpec{Devices: four, Log: log}, "devices d0 d1 d2 d3 log d4"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := pool(tt.pool); got != tt.want {
				t.Errorf("pool is %q, want %q", got, tt.want)
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package layout_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/layout"
)

func TestExpand(t *testing.T) {
	tests := map[string]struct{ pool, want string }{
		"mirrors of two":    {`layout: Mirror, devices: [a, b, c, d]`, `vdevs: [{type: mirror, devices: [a, b]}, {type: mirror, devices: [c, d]}]`},
		"a mirror of three": {`layout: Mirror, width: 3, devices: [a, b, c]`, `vdevs: [{type: mirror, devices: [a, b, c]}]`},
		"a stripe":          {`layout: Stripe, devices: [a, b, c]`, `vdevs: [{type: stripe, devices: [a, b, c]}]`},
		"a stripe with its width": {`layout: Stripe, width: 1, devices: [a, b]`,
			`vdevs: [{type: stripe, devices: [a, b]}]`},
		"all devices in one vdev": {`layout: Raidz2, devices: [a, b, c, d]`,
			`vdevs: [{type: raidz2, devices: [a, b, c, d]}]`},
		"two raidz1": {`layout: Raidz1, width: 3, devices: [a, b, c, d, e, f]`,
			`vdevs: [{type: raidz1, devices: [a, b, c]}, {type: raidz1, devices: [d, e, f]}]`},
		"draid": {`layout: Draid1, devices: [a, b, c], draid: {data: 1, spares: 1}`,
			`vdevs: [{type: draid1, devices: [a, b, c], draid: {data: 1, spares: 1}}]`},
		"the rest stays": {`ashift: 12, layout: Raidz3, devices: [a, b, c, d], spares: [e], log: [{type: stripe, devices: [f]}]`,
			`ashift: 12, vdevs: [{type: raidz3, devices: [a, b, c, d]}], spares: [e], log: [{type: stripe, devices: [f]}]`},

		"the long form":     {`vdevs: [{type: stripe, devices: [a]}]`, ``},
		"both forms":        {`vdevs: [{type: stripe, devices: [a]}], layout: Mirror, devices: [b, c]`, ``},
		"no layout":         {`devices: [a, b], width: 2`, ``},
		"no devices":        {`layout: Raidz1`, ``},
		"a width of zero":   {`layout: Mirror, width: 0, devices: [a, b]`, ``},
		"an unknown layout": {`layout: Raid5, devices: [a, b]`, ``},
		"a wide stripe":     {`layout: Stripe, width: 2, devices: [a, b]`, ``},
		"draid of a mirror": {`layout: Mirror, devices: [a, b], draid: {data: 1}`, ``},
		"a remainder":       {`layout: Mirror, devices: [a, b, c]`, ``},
		"a width too large": {`layout: Raidz1, width: 4, devices: [a, b, c]`, ``},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			given := pool(t, tt.pool)
			want := given
			if tt.want != "" {
				want = pool(t, tt.want)
			}
			if diff := cmp.Diff(want, layout.Expand(given)); diff != "" {
				t.Errorf("pool (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(pool(t, tt.pool), given); diff != "" {
				t.Errorf("Expand changed the pool (-before +after):\n%s", diff)
			}
		})
	}
}

func pool(t *testing.T, fields string) v1alpha1.PoolSpec {
	t.Helper()
	var p v1alpha1.PoolSpec
	if err := yaml.UnmarshalStrict([]byte("{"+fields+"}"), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

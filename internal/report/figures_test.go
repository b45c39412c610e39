// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

func TestShares(t *testing.T) {
	tests := map[string]struct {
		sizes []int
		limit int
		want  []int
	}{
		"all fit":                {[]int{3, 0, 2}, 5, []int{3, 0, 2}},
		"evenly":                 {[]int{9, 9, 9}, 6, []int{2, 2, 2}},
		"the first get one more": {[]int{9, 9, 9}, 7, []int{3, 2, 2}},
		"what one leaves":        {[]int{1, 9, 9}, 7, []int{1, 3, 3}},
		"fewer than groups":      {[]int{9, 9, 9}, 2, []int{1, 1, 0}},
		"nothing":                {nil, 7, []int{}},
		"no room":                {[]int{9}, 0, []int{0}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, shares(tt.sizes, tt.limit)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProtection(t *testing.T) {
	vdev := func(kind v1alpha1.VdevType, devices int) v1alpha1.Vdev {
		v := v1alpha1.Vdev{Type: kind}
		for i := range devices {
			v.Devices = append(v.Devices, fmt.Sprintf("d%d", i))
		}
		return v
	}
	plain := func(redundancy int) Protection { return Protection{redundancy, "standard", "on"} }
	tests := map[string]struct {
		vdevs      []v1alpha1.Vdev
		properties v1alpha1.DatasetProperties
		want       Protection
	}{
		"none":             {nil, nil, plain(0)},
		"stripe":           {[]v1alpha1.Vdev{vdev(v1alpha1.VdevStripe, 4)}, nil, plain(0)},
		"mirrors":          {[]v1alpha1.Vdev{vdev(v1alpha1.VdevMirror, 2), vdev(v1alpha1.VdevMirror, 2)}, nil, plain(1)},
		"mirror of three":  {[]v1alpha1.Vdev{vdev(v1alpha1.VdevMirror, 3)}, nil, plain(2)},
		"the weakest":      {[]v1alpha1.Vdev{vdev(v1alpha1.VdevMirror, 3), vdev(v1alpha1.VdevMirror, 2)}, nil, plain(1)},
		"raidz1":           {[]v1alpha1.Vdev{vdev(v1alpha1.VdevRaidz1, 4)}, nil, plain(1)},
		"raidz3":           {[]v1alpha1.Vdev{vdev(v1alpha1.VdevRaidz3, 8)}, nil, plain(3)},
		"draid2":           {[]v1alpha1.Vdev{vdev(v1alpha1.VdevDraid2, 8)}, nil, plain(2)},
		"no sync":          {nil, v1alpha1.DatasetProperties{"sync": "disabled"}, Protection{0, "disabled", "on"}},
		"no checksum":      {nil, v1alpha1.DatasetProperties{"checksum": "off"}, Protection{0, "standard", "off"}},
		"fletcher4 is on":  {nil, v1alpha1.DatasetProperties{"checksum": "fletcher4"}, plain(0)},
		"another checksum": {nil, v1alpha1.DatasetProperties{"checksum": "sha256", "sync": "always"}, Protection{0, "always", "sha256"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := protectionOf(plan.Variant{Pool: v1alpha1.PoolSpec{Vdevs: tt.vdevs}, Dataset: v1alpha1.DatasetSpec{Properties: tt.properties}})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnlike(t *testing.T) {
	a := Protection{1, "standard", "on"}
	tests := map[string]struct {
		b    Protection
		want string
	}{
		"equal":      {a, ""},
		"redundancy": {Protection{0, "standard", "on"}, "redundancy 0, not 1"},
		"all":        {Protection{2, "disabled", "off"}, "redundancy 2, not 1, sync disabled, not standard, checksum off, not on"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.b.unlike(a); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestRanked: those that protect the data better come first, and ranks count only among equals on the same node.
func TestRanked(t *testing.T) {
	one := func(variant, node string, bandwidth float64, p Protection) entry {
		m := Measurement{Variant: variant, Node: node}
		if bandwidth > 0 {
			m.Statistics = &Statistics{N: 1, GeometricMean: bandwidth}
		}
		return entry{Measurement: m, variant: Variant{Name: variant, Protection: p}}
	}
	mirror, stripe, unsafe := Protection{1, "standard", "on"}, Protection{0, "standard", "on"}, Protection{1, "disabled", "on"}
	groups := ranked([]entry{
		one("stripe", "a", 9, stripe), one("unsafe", "a", 8, unsafe), one("mirror", "b", 7, mirror), one("slow", "a", 1, mirror), one("mirror", "a", 4, mirror),
		one("failed", "a", 0, mirror), one("fast", "a", 5, mirror),
	})
	var got []string
	for i, g := range groups {
		for _, e := range g {
			got = append(got, fmt.Sprintf("%d: %d %s on %s", i, e.rank, e.Variant, e.Node))
		}
	}
	want := []string{
		"0: 1 fast on a", "0: 2 mirror on a", "0: 3 slow on a", "0: 4 failed on a", "1: 1 unsafe on a", "2: 1 stripe on a", "3: 1 mirror on b",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTimes(t *testing.T) {
	tests := map[float64]string{1: "1.000", 1.2434: "1.243", 0.8: "0.800", 12.3456: "12.346", 0.0123: "0.0123", 0: "0"}
	for in, want := range tests {
		if got := times(in); got != want {
			t.Errorf("%v: got %q, want %q", in, got, want)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

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
			if diff := cmp.Diff(tt.want, Shares(tt.sizes, tt.limit)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRanked: those that protect the data better come first, and ranks count only among equals on the same node.
func TestRanked(t *testing.T) {
	one := func(variant, node string, bandwidth float64, p plan.Protection) Entry {
		m := Measurement{Variant: variant, Node: node}
		if bandwidth > 0 {
			m.Statistics = &Statistics{N: 1, GeometricMean: bandwidth}
		}
		return Entry{Measurement: m, Details: VariantRow{Name: variant, Protection: p}}
	}
	protects := func(redundancy int, sync string) plan.Protection {
		return plan.Protection{Redundancy: redundancy, Sync: sync, Checksum: "on"}
	}
	mirror, stripe, unsafe := protects(1, "standard"), protects(0, "standard"), protects(1, "disabled")
	groups := ranked([]Entry{
		one("stripe", "a", 9, stripe), one("unsafe", "a", 8, unsafe), one("mirror", "b", 7, mirror),
		one("slow", "a", 1, mirror), one("mirror", "a", 4, mirror),
		one("failed", "a", 0, mirror), one("fast", "a", 5, mirror),
	})
	var got []string
	for i, g := range groups {
		for _, e := range g {
			got = append(got, fmt.Sprintf("%d: %d %s on %s", i, e.Rank, e.Variant, e.Node))
		}
	}
	want := []string{
		"0: 1 fast on a", "0: 2 mirror on a", "0: 3 slow on a", "0: 4 failed on a", "1: 1 unsafe on a",
		"2: 1 stripe on a", "3: 1 mirror on b",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTimes(t *testing.T) {
	tests := map[float64]string{1: "1.000", 1.2434: "1.243", 0.8: "0.800", 12.3456: "12.346", 0.0123: "0.0123", 0: "0"}
	for in, want := range tests {
		if got := Times(in); got != want {
			t.Errorf("%v: got %q, want %q", in, got, want)
		}
	}
}

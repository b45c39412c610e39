// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
)

func fillTo(percent int32) v1alpha1.Workload {
	return v1alpha1.Workload{Name: "fill", Pool: &v1alpha1.PoolOperation{Fill: &v1alpha1.FillOperation{Percent: percent}}}
}

func writes(size string) v1alpha1.Workload {
	return v1alpha1.Workload{Name: "write", Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite,
		Size: resource.MustParse(size)}}
}

// What fills a pool counts what is there already; what comes after it needs room beside it.
func TestSpaceOfFilledPools(t *testing.T) {
	send := v1alpha1.Workload{Name: "send", Pool: &v1alpha1.PoolOperation{Send: &v1alpha1.SendOperation{}}}
	again := v1alpha1.Workload{Name: "again", Pool: &v1alpha1.PoolOperation{Send: &v1alpha1.SendOperation{Since: "send"}}}
	for name, tt := range map[string]struct {
		workloads []v1alpha1.Workload
		// percent is what is needed of the usable space, about.
		percent int64
		fit     Fit
	}{
		"a full pool":             {[]v1alpha1.Workload{fillTo(96)}, 96, FitYes},
		"files that are there":    {[]v1alpha1.Workload{writes("20Gi"), fillTo(50)}, 50, FitYes},
		"more than the level":     {[]v1alpha1.Workload{writes("60Gi"), fillTo(50)}, 61, FitYes},
		"files that come later":   {[]v1alpha1.Workload{fillTo(50), writes("20Gi")}, 71, FitYes},
		"two levels":              {[]v1alpha1.Workload{fillTo(50), fillTo(80)}, 80, FitYes},
		"no room later":           {[]v1alpha1.Workload{fillTo(96), writes("20Gi")}, 116, FitNo},
		"what is sent":            {[]v1alpha1.Workload{writes("20Gi"), send}, 41, FitYes},
		"what is sent in part":    {[]v1alpha1.Workload{writes("20Gi"), send, again}, 61, FitYes},
		"a full pool that's sent": {[]v1alpha1.Workload{fillTo(60), send}, 120, FitMaybe},
	} {
		t.Run(name, func(t *testing.T) {
			p := variantOf(t, `{ashift: 12, vdevs: [{type: mirror, devices: [d0, d1]}]}`, `{type: Filesystem}`, 105*gibibyte)
			p.Workloads = tt.workloads
			s := EstimateSpace(Expand(p, nil), p.Variants[0])
			if got := s.NeededBytes * 100 / s.UsableBytes; got < tt.percent-2 || got > tt.percent+2 || s.Fit != tt.fit {
				t.Errorf("%d%% of %d needed, fit %v, want %d%% and %v", got, s.UsableBytes, s.Fit, tt.percent, tt.fit)
			}
		})
	}
}

func TestEstimateFill(t *testing.T) {
	p := Plan{Devices: []Device{{Name: "d0", SizeBytes: 16 << 30}, {Name: "d1", SizeBytes: 16 << 30}}}
	p.Variants = []Variant{{Dataset: v1alpha1.DatasetSpec{Properties: v1alpha1.DatasetProperties{"recordsize": "16K"}}}}
	const half = 512 * time.Second // 8 GiB at 16 MiB/s
	random := v1alpha1.FillOperation{Percent: 50, Method: v1alpha1.FillRandomOverwrites}
	for name, tt := range map[string]struct {
		workload v1alpha1.Workload
		want     time.Duration
	}{
		"sequential": {fillTo(50), half},
		// 8 GiB of 16 KiB, 100 per second
		"random overwrites": {v1alpha1.Workload{Pool: &v1alpha1.PoolOperation{Fill: &random}},
			half + 5242880*time.Millisecond},
		"send": {v1alpha1.Workload{Pool: &v1alpha1.PoolOperation{Send: &v1alpha1.SendOperation{}}}, 0},
		"clones": {v1alpha1.Workload{Pool: &v1alpha1.PoolOperation{Clone: &v1alpha1.CloneOperation{Count: 100}}},
			20 * time.Second},
		"during a scrub": {v1alpha1.Workload{
			Fio:    &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, Size: resource.MustParse("16Mi")},
			During: &v1alpha1.DuringOperation{Scrub: &v1alpha1.ScrubOperation{}},
		}, 1025 * time.Second},
	} {
		if diff := cmp.Diff(tt.want, estimate(Expand(p, nil), tt.workload)); diff != "" {
			t.Errorf("%s: estimate (-want +got):\n%s", name, diff)
		}
	}
	p.Workloads = []v1alpha1.Workload{writes("16Mi"), fillTo(50)}
	send := v1alpha1.Workload{Pool: &v1alpha1.PoolOperation{Send: &v1alpha1.SendOperation{}}}
	if got, want := estimate(Expand(p, nil), send), 2*2*half; got != want { // the half of two disks, read and written
		t.Errorf("estimate of sending a filled pool %v, want %v", got, want)
	}
	if got, want := GracePeriod(p), graceBase+2*gracePerDevice+256*time.Second; got != want {
		t.Errorf("grace period %v, want %v: as much may be in memory as OpenZFS lets", got, want)
	}
}

// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestBuild(t *testing.T) {
	b := benchmark(t, onFiles)
	before := b.DeepCopy()
	p, err := Build(Input{Benchmark: b, Node: testNode(), Defaults: testDefaults()})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, b); diff != "" {
		t.Errorf("Build changed the benchmark:\n%s", diff)
	}
	want := Plan{
		Version:        1,
		Benchmark:      Benchmark{Namespace: "team-a", Name: "mirror", UID: testUID},
		Node:           testNode(),
		TimeoutSeconds: int64((15 * time.Minute).Seconds()),
		Scratch:        Scratch{Directory: "/var/lib/zfs-benchmark", LimitBytes: 2 << 30},
		Devices:        []Device{{Name: "f0", FileSizeBytes: 1 << 30}, {Name: "f1", FileSizeBytes: 1 << 30}},
		Variants: []Variant{{
			Name:    "default",
			Pool:    v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{{Type: v1alpha1.VdevMirror, Devices: []string{"f0", "f1"}}}},
			Dataset: v1alpha1.DatasetSpec{Type: v1alpha1.DatasetFilesystem},
		}},
		Workloads: []v1alpha1.Workload{{Name: "seq-write", Cache: v1alpha1.CacheCold, Fio: &v1alpha1.FioWorkload{
			RW: v1alpha1.FioWrite, BS: "128k", Size: before.Spec.Workloads[0].Fio.Size, NumJobs: 1, IOEngine: "psync",
			IODepth: 1, Sync: v1alpha1.FioSyncNone, EndFsync: new(true),
		}}},
		DevicePreparation: v1alpha1.DevicePreparationDiscard,

		Trials: []Trial{{Index: 0, Variant: "default", Repetition: 1}},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestBuildTimeout(t *testing.T) {
	const limited = bothDisks + "maxTimeout: 3h\n"
	tests := map[string]struct {
		spec, policy string
		want         time.Duration
	}{
		"as asked": {onDisks, limited, 2 * time.Hour},
		"the default": {strings.Replace(onDisks, "timeout: 2h", "", 1), bothDisks,
			DefaultTimeout(built(t, onDisks))},
		"the default, limited": {strings.Replace(onDisks, "timeout: 2h", "", 1), bothDisks + "maxTimeout: 10m\n",
			10 * time.Minute},
		"the default, limit too far": {strings.Replace(onDisks, "timeout: 2h", "", 1), bothDisks + "maxTimeout: 720h\n",
			DefaultTimeout(built(t, onDisks))},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := Build(Input{Benchmark: benchmark(t, tt.spec), Node: testNode(),
				Policies: []v1alpha1.BenchmarkDevicePolicy{policy(t, "p", tt.policy)}, Defaults: testDefaults()})
			if err != nil || p.Timeout() != tt.want {
				t.Errorf("timeout = %v, %v; want %v", p.Timeout(), err, tt.want)
			}
		})
	}
}

func TestBuildFails(t *testing.T) {
	tests := map[string]struct {
		change  func(*Input)
		consent bool
		want    string
	}{
		"no consent":        {func(in *Input) { in.Policies = nil }, true, "No BenchmarkDevicePolicy"},
		"no UID":            {func(in *Input) { in.Benchmark.UID = "" }, false, "is not a UUID"},
		"invalid benchmark": {func(in *Input) { in.Benchmark.Spec.Workloads = nil }, false, "workloads"},
		"no scratch":        {func(in *Input) { in.Defaults = Defaults{} }, false, "not a clean absolute path"},
		"too many trials": {func(in *Input) {
			in.Benchmark.Spec.Repetitions = &v1alpha1.RepetitionsSpec{Min: 1001}
		}, false, "repetition 1001"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := Input{Benchmark: benchmark(t, onDisks), Node: testNode(),
				Policies: []v1alpha1.BenchmarkDevicePolicy{policy(t, "p", bothDisks)}, Defaults: testDefaults()}
			tt.change(&in)
			_, err := Build(in)
			var consent *ConsentError
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, &consent) != tt.consent {
				t.Errorf("Build: %v; want %q, a ConsentError: %t", err, tt.want, tt.consent)
			}
		})
	}
}

// TestPlanThatIsTooLarge: the error says how many trials fit, and so many do.
func TestPlanThatIsTooLarge(t *testing.T) {
	build := func(repetitions int) error {
		b := benchmark(t, onFiles)
		long := v1alpha1.Axis{Name: strings.Repeat("a", 32)}
		for _, size := range []v1alpha1.PropertyValue{"8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M"} {
			long.Values = append(long.Values, v1alpha1.Overlay{
				Name: v1alpha1.AxisValueName(size) + v1alpha1.AxisValueName(strings.Repeat("x", 59)),
				Dataset: &v1alpha1.DatasetOverlay{Properties: map[string]v1alpha1.OverlayProperty{
					"recordsize": v1alpha1.OverlayProperty(size),
				}},
			})
		}
		b.Spec.Matrix = &v1alpha1.MatrixSpec{Axes: []v1alpha1.Axis{long}}
		b.Spec.Repetitions = &v1alpha1.RepetitionsSpec{Min: int32(repetitions)}
		_, err := Build(Input{Benchmark: b, Node: testNode(), Defaults: testDefaults()})
		return err
	}
	err := build(1000)
	if !errors.Is(err, ErrTooLarge) {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(err.Error(), "about ")
	text, _, _ = strings.Cut(text, " trials would fit")
	fit, convErr := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	if convErr != nil || fit < 1000 || fit > 8000 {
		t.Fatal(err)
	}
	if err := build(fit / 8); err != nil {
		t.Errorf("%d trials do not fit: %v", fit, err)
	}
	if err := build(fit/8 + 50); !errors.Is(err, ErrTooLarge) {
		t.Errorf("many more than %d trials fit: %v", fit, err)
	}
}

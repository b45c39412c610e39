// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/preflight"
	"zfsbench.io/operator/internal/storage/blockdev"
	"zfsbench.io/operator/internal/testfiles"
)

func TestPreflightRefuses(t *testing.T) {
	onCallOf := func(prefix string) func(*world, *Engine) {
		return func(w *world, _ *Engine) {
			w.fault = func(_ int, call string) fault {
				if strings.HasPrefix(call, prefix) {
					return fails
				}
				return fine
			}
		}
	}
	filesystem := func(f preflight.Filesystem, err error) func(*world, *Engine) {
		return func(_ *world, e *Engine) {
			e.Filesystem = func(string) (preflight.Filesystem, error) { return f, err }
		}
	}
	dataset := func(property string, value v1alpha1.PropertyValue) func(*world, *Engine) {
		return func(_ *world, e *Engine) {
			e.plan.Variants[0].Dataset.Properties = v1alpha1.DatasetProperties{property: value}
		}
	}
	refuse := func(names ...string) func(*world, *Engine) {
		return func(w *world, _ *Engine) {
			for _, name := range names {
				w.refuse[name] = errors.New("it is mounted at /" + name)
			}
		}
	}
	tests := map[string]struct {
		arrange func(*world, *Engine)
		reason  string
		want    string
	}{
		"no OpenZFS": {onCallOf("zfs version"), v1alpha1.ReasonPreflightFailed,
			"OpenZFS was not found on the node: trouble."},
		"another release of OpenZFS": {
			func(w *world, _ *Engine) { w.userland = "2.4.0-1" }, v1alpha1.ReasonPreflightFailed,
			"OpenZFS's userland is 2.4.0-1, the loaded module 2.3.9-0+deb13u1: they must be of one release",
		},
		"a property that came later": {
			func(w *world, e *Engine) { w.module = "2.2.2-1"; dataset("direct", "always")(w, e) },
			v1alpha1.ReasonPreflightFailed,
			"The dataset property direct=always needs OpenZFS 2.3; the node has 2.2.2.",
		},
		"a tool of the node": {
			func(w *world, _ *Engine) { w.lacks = map[string]error{"zdb": errors.New("not found")} },
			v1alpha1.ReasonPreflightFailed, "The node has no zdb: not found.",
		},
		"a tool of the runner": {
			func(w *world, _ *Engine) { w.lacks = map[string]error{"blkid": errors.New("not found")} },
			v1alpha1.ReasonPreflightFailed, "The runner has no blkid: not found.",
		},
		"no sandbox":         {onCallOf("fio --version"), v1alpha1.ReasonPreflightFailed, "The sandbox does not run fio"},
		"no space for files": {onCallOf("check space"), v1alpha1.ReasonPreflightFailed, "no place for the file devices"},
		"no space in the pool": {
			func(_ *world, e *Engine) { e.plan.Workloads[0].Fio.Size = resource.MustParse("2Gi") },
			v1alpha1.ReasonPreflightFailed,
			"The dataset takes up to 2.02 GiB of the 832 MiB that its pool will have: it needs larger devices, or smaller " +
				"workloads.",
		},
		"OpenZFS refuses": {onCallOf("zpool create -n"), v1alpha1.ReasonPreflightFailed,
			"would not create the pool of variant default"},
		"scratch in memory": {filesystem(preflight.Filesystem{Kind: "tmpfs", FreeBytes: 1 << 40}, nil),
			v1alpha1.ReasonPreflightFailed, "tmpfs, which does not survive"},
		"scratch is full": {filesystem(preflight.Filesystem{Kind: "ext4", FreeBytes: 1 << 20}, nil),
			v1alpha1.ReasonPreflightFailed, "has 1048576 bytes free"},
		"scratch not readable": {filesystem(preflight.Filesystem{}, errors.New("no answer")), v1alpha1.ReasonPreflightFailed,
			"No answer"},
		"scratch too small": {
			func(_ *world, e *Engine) { e.plan.Scratch.LimitBytes = 1 << 20 }, v1alpha1.ReasonPreflightFailed, "the limit for",
		},
		"a disk": {
			refuse("d0"), v1alpha1.ReasonDeviceRefused,
			"Could not pass the preflight: 1 of 3 devices is refused. Device d0 (/dev/disk/by-id/d0) is refused: it is " +
				"mounted at /d0.",
		},
		"two disks": {
			refuse("d0", "d1"), v1alpha1.ReasonDeviceRefused,
			"2 of 3 devices are refused. Device d0 (/dev/disk/by-id/d0) is refused: it is mounted at /d0. Device d1 " +
				"(/dev/disk/by-id/d1) is refused: it is mounted at /d1.",
		},
		"a disk and a tool": {
			func(w *world, e *Engine) {
				w.lacks = map[string]error{"zdb": errors.New("not found")}
				refuse("d1")(w, e)
			}, v1alpha1.ReasonDeviceRefused,
			"it is mounted at /d1. The node has no zdb: not found.",
		},
		"no OpenZFS, so no disk": {
			func(w *world, e *Engine) { onCallOf("zfs version")(w, e); refuse("d0")(w, e) }, v1alpha1.ReasonPreflightFailed,
			"Could not pass the preflight: OpenZFS was not found on the node: trouble. 1 of 3 devices is refused.",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			e := w.engine(testPlan(w))
			test.arrange(w, e)
			got, _ := w.work(func() Outcome { return e.Execute(t.Context()) })
			f := got.Progress.Failure
			if f == nil || f.Reason != test.reason || !strings.Contains(f.Message, test.want) ||
				strings.Contains(f.Message, "..") || !got.Final() {
				t.Errorf("failure %+v", f)
			}
			if found := got.Progress.Preflight; found == nil || found.Passed || len(found.Checks) != 8 ||
				len(found.Devices) != 3 || found.Estimate == nil {
				t.Errorf("not everything was looked at: %+v", found)
			}
			if len(w.left()) != 0 || len(w.trials) != 0 {
				t.Errorf("left %v, trials %v", w.left(), w.trials)
			}
		})
	}
}

// TestWarningsStopNothing: they are reported, and the benchmark runs.
func TestWarningsStopNothing(t *testing.T) {
	w := newWorld(t)
	p := testPlan(w)
	w.module = "2.2.9-1"
	p.Workloads[0].Fio.Direct = true
	p.Workloads[1].Fio.Size = resource.MustParse("825Mi")
	p.TimeoutSeconds = 100
	got, _ := w.execute(t.Context(), p)
	found := got.Progress.Preflight
	if got.Progress.State != result.StateComplete || !found.Passed {
		t.Fatalf("outcome %+v, preflight %+v", got, found)
	}
	want := []result.Check{
		{Name: "properties", Outcome: result.OutcomeWarning,
			Message: "Workload write asks for direct I/O, which OpenZFS before 2.3 ignores."},
		{Name: "space", Outcome: result.OutcomeWarning,
			Message: "The dataset takes up to 844 MiB of the 832 MiB that its pool will have: it may run out of space."},
		{Name: "time", Outcome: result.OutcomeWarning,
			Message: "With slow disks the benchmark takes about 9m26s, the limit is 1m40s: it may not finish."},
	}
	if diff := cmp.Diff(want, found.ChecksThat(result.OutcomeWarning)); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestPreflightReports(t *testing.T) {
	w := newWorld(t)
	w.refuse["d1"] = errors.New("it holds ext4")
	p := testPlan(w)
	got, _ := w.execute(t.Context(), p)
	want := &result.Preflight{
		Devices: []result.DeviceReport{
			{Name: "d0", Path: "/dev/disk/by-id/d0", Usable: true, Kernel: "/dev/vd0", Model: "VIRTUAL", Firmware: "1.0",
				Serial: "s0", SizeBytes: 1 << 30},
			{
				Name: "d1", Path: "/dev/disk/by-id/d1", Step: "mounts",
				Refusal: "Device d1 (/dev/disk/by-id/d1) is refused: it holds ext4.",
				Kernel:  "/dev/vd1", Model: "VIRTUAL", Firmware: "1.0", Serial: "s1", SizeBytes: 1 << 30,
			},
			{Name: "f0", Usable: true, SizeBytes: 64 << 20},
		},
		Checks: []result.Check{
			{Name: "OpenZFS", Outcome: "Passed", Message: "Userland 2.3.9-0+deb13u1, module 2.3.9-0+deb13u1, kernel 6.12."},
			{Name: "tools", Outcome: "Passed", Message: "Found zpool 2.3.9-0+deb13u1, zdb present, blkid 2.41.5."},
			{Name: "fio", Outcome: "Passed", Message: "The sandbox runs fio-3.39."},
			{Name: "scratch directory", Outcome: "Passed", Message: p.Scratch.Directory +
				" is on ext4 with 1 TiB free; the file devices take 64 MiB."},
			{Name: "properties", Outcome: "Passed", Message: "OpenZFS 2.3.9 has everything that the benchmark sets."},
			{Name: "space", Outcome: "Passed",
				Message: "The dataset takes up to 17 MiB of the 832 MiB that its pool will have."},
			{Name: "time", Outcome: "Passed", Message: "Even slow disks take less than the limit of 1h0m0s."},
			{Name: "pool", Outcome: "Skipped", Message: "Not checked, because not all devices are usable."},
		},
		Estimate: &result.Estimate{
			Trials: 2, SlowSeconds: 360, TimeoutSeconds: 3600, ScratchBytes: 64 << 20,
			Pools: []result.PoolEstimate{{Variant: "default", DeviceBytes: 2 * 1022 << 20, UsableBytes: 832 << 20,
				NeededBytes: 17827840}},
		},
	}
	if diff := cmp.Diff(want, got.Progress.Preflight); diff != "" {
		t.Errorf("preflight (-want +got):\n%s", diff)
	}
}

// TestManyRefusalsAreCounted: a message describes the first ones, the report all.
func TestManyRefusalsAreCounted(t *testing.T) {
	found := result.Preflight{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		found.Devices = append(found.Devices, result.DeviceReport{Name: name, Refusal: "No " + name + "."})
	}
	found.Devices[1].Refusal = strings.Repeat("x", 2000) + "."
	reason, err := preflight.Refusal(found)
	got := failureOf(failure.Wrap(reason, "pass the preflight", err)).Message
	want := "Could not pass the preflight: 5 of 5 devices are refused. No a. " + strings.Repeat("x", 240) +
		"…. No c. And 2 more: d, e."
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPreflightOfTheSample writes down what the preflight finds for config/samples/dry-run.yaml on the development
// cluster's node, with its disks blank and with a filesystem on one of them. internal/report makes the report of it
// that docs/install.md shows.
func TestPreflightOfTheSample(t *testing.T) {
	tests := map[string]map[string]error{
		"preflight-passed": {},
		"preflight-refused": {"d1": errors.New("it is not blank: signature ext4 (blkid); signature ext4 at 0x438 " +
			"(wipefs); signature ext4 (lsblk)")},
	}
	for name, refuse := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.refuse = refuse
			w.disks = map[string]*fakeDisk{"/dev/disk/by-id/virtio-zfsbench-d0": {}, "/dev/disk/by-id/virtio-zfsbench-d1": {}}
			p := samplePlan(t, w.scratch)
			e := w.engine(p)
			e.Disks = sampleDisks{e.Disks}
			e.Tools = func(context.Context) []preflight.ToolVersion { return allTools() }
			e.Node = sampleNode{e.Node}
			got, _ := w.work(func() Outcome { return e.Execute(t.Context()) })
			// The rest depends on when and where the test runs.
			text, err := json.MarshalIndent(result.Progress{Node: got.Progress.Node, Failure: got.Progress.Failure,
				Preflight: got.Progress.Preflight}, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			testfiles.Compare(t, name+".json", strings.ReplaceAll(string(text), p.Scratch.Directory, "/var/lib/zfsbench")+"\n")
		})
	}
}

// samplePlan is the plan of the sample, with the sample's policy.
func samplePlan(t *testing.T, scratch string) plan.Plan {
	t.Helper()
	var b v1alpha1.ZfsBenchmark
	var policy v1alpha1.BenchmarkDevicePolicy
	for name, into := range map[string]any{"dry-run": &b, "policy": &policy} {
		text, err := os.ReadFile(filepath.Join("..", "..", "config", "samples", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.UnmarshalStrict(text, into); err != nil {
			t.Fatal(err)
		}
	}
	b.UID = testUID
	p, err := plan.Build(plan.Input{
		Benchmark: &b, Node: plan.Node{Name: policy.Spec.Node.Name, UID: policy.Spec.Node.UID},
		Policies: []v1alpha1.BenchmarkDevicePolicy{policy},
		Defaults: plan.Defaults{Scratch: plan.Scratch{Directory: scratch, LimitBytes: 1 << 34}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sampleDisks are called as on the development cluster, by a guard that found signatures.
type sampleDisks struct{ Disks }

func (d sampleDisks) CheckAll(ctx context.Context, wants []blockdev.Want) []blockdev.Verdict {
	verdicts := d.Disks.CheckAll(ctx, wants)
	for i := range verdicts {
		verdicts[i].Disk.Model, verdicts[i].Disk.Firmware = "", ""
		verdicts[i].Disk.Device = map[string]string{"d0": "/dev/vdc", "d1": "/dev/vdd"}[wants[i].Name]
		var refusal *blockdev.Refusal
		if errors.As(verdicts[i].Refusal, &refusal) {
			refusal.Step = blockdev.StepSignatures
		}
	}
	return verdicts
}

// sampleNode has the facts of the development cluster's node, as the captured trials of internal/report do.
type sampleNode struct{ NodeReader }

func (sampleNode) Facts() (result.NodeFacts, error) {
	return result.NodeFacts{
		Kernel: "6.12.107+deb13-cloud-amd64", OS: "Debian GNU/Linux 13 (trixie)", CPUModel: "QEMU TCG CPU version 2.5+",
		CPUs:        2,
		MemoryBytes: 5041532 << 10, ARCMaxBytes: 4088786944,
	}, nil
}

// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate/validatetest"
	"zfsbench.io/operator/internal/testfiles"
)

func of[T any](v T) *T { return &v }

func seconds(n int) *metav1.Duration {
	return &metav1.Duration{Duration: time.Duration(n) * time.Second}
}

var (
	directory = Target{Directory: "/target", Seed: 1}
	device    = Target{Device: "/dev/target", Seed: 1}
)

func layout(t Target) Target {
	t.Layout = true
	return t
}

// syncing is what etcd does with its log, with a ramp.
func syncing() v1alpha1.FioWorkload {
	return v1alpha1.FioWorkload{
		RW: v1alpha1.FioWrite, BS: "2300", Size: resource.MustParse("9420800"), NumJobs: 2, Fdatasync: 1,
		Runtime: seconds(3), TimeBased: of(true), RampTime: seconds(2),
	}
}

// TestJobFile compares the job files with golden files. The reports in testdata were captured with the same job files.
func TestJobFile(t *testing.T) {
	write := v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, BS: "128k", Size: resource.MustParse("64Mi"), NumJobs: 4}
	read := v1alpha1.FioWorkload{RW: v1alpha1.FioRead, BS: "128k", Size: resource.MustParse("64Mi"), NumJobs: 4}
	mixed := v1alpha1.FioWorkload{
		RW: v1alpha1.FioRandRW, BS: "16k", Size: resource.MustParse("32Mi"), NumJobs: 2, IOEngine: "libaio", IODepth: 8,
		RWMixRead: of(int32(70)),
		Runtime:   seconds(8), TimeBased: of(true), RampTime: seconds(1),
	}
	synced := v1alpha1.FioWorkload{
		RW: v1alpha1.FioRandWrite, BS: "4k", Size: resource.MustParse("4Mi"), NumJobs: 1, Sync: v1alpha1.FioSyncDsync,
		EndFsync: of(false),
	}
	// Three clients that come one after the other; the files are laid out for those that do not just write.
	clients := captured()
	own := v1alpha1.FioWorkload{RW: v1alpha1.FioRead, BS: "128k", Size: resource.MustParse("16Mi"), OwnFiles: true}
	inChildren := v1alpha1.FioWorkload{RW: v1alpha1.FioRandRW, BS: "16k", Size: resource.MustParse("4Mi"),
		Jobs: []v1alpha1.FioJob{
			{Name: "users"}, {Name: "db", Dataset: "db"}, {Name: "log", Dataset: "log", RW: v1alpha1.FioWrite},
		}}
	withChildren := Target{Directory: "/target", Children: "/children", Seed: 1}
	split := v1alpha1.FioWorkload{
		RW: v1alpha1.FioRandWrite, Size: resource.MustParse("4Mi"), NumJobs: 2, DedupePercentage: of(int32(10)),
		BSSplit: []v1alpha1.FioBlockShare{{BS: "4k", Percent: 60}, {BS: "16K", Percent: 30}, {BS: "65536", Percent: 10}},
	}
	tests := map[string]struct {
		workload v1alpha1.FioWorkload
		target   Target
	}{
		"fdatasync":          {syncing(), directory},
		"clients":            {clients, directory},
		"clients-layout":     {clients, layout(directory)},
		"clients-device":     {clients, device},
		"clients-dev-layout": {clients, layout(device)},
		"children":           {inChildren, withChildren},
		"children-layout":    {inChildren, layout(withChildren)},
		"own-files-layout":   {own, layout(Target{Directory: "/target", Workload: "cold-read", Seed: 1})},
		"bssplit":            {split, directory},
		"bssplit-device":     {split, device},
		"bssplit-layout":     {split, layout(directory)},
		"write":              {write, directory},
		"write-device":       {write, device},
		"read":               {read, directory},
		"read-layout":        {read, layout(directory)},
		"read-device":        {read, device},
		"read-dev-layout":    {read, layout(device)},
		"randrw":             {mixed, directory},
		"randrw-layout":      {mixed, layout(directory)},
		"randwrite-dsync":    {synced, directory},
		"randwrite-layout":   {synced, layout(directory)},
		"compressible": {v1alpha1.FioWorkload{
			RW: v1alpha1.FioWrite, BS: "1M", Size: resource.MustParse("64Mi"), BufferCompressPercentage: of(int32(50)), Fsync: 8,
		}, directory},
		"duplicates-layout": {v1alpha1.FioWorkload{
			RW: v1alpha1.FioRandRead, BS: "64k", Size: resource.MustParse("64Mi"), DedupePercentage: of(int32(33)),
		}, layout(directory)},
		"odd-size-layout": {v1alpha1.FioWorkload{
			RW: v1alpha1.FioReadWrite, BS: "4k", Size: resource.MustParse("100000"), Direct: true,
		}, layout(directory)},
		"everything": {v1alpha1.FioWorkload{
			RW: v1alpha1.FioReadWrite, BS: "4k", Size: resource.MustParse("1Gi"), NumJobs: 3, IOEngine: "io_uring", IODepth: 32,
			Direct: true,
			Sync:   v1alpha1.FioSyncSync, Fsync: 64, EndFsync: of(true), RWMixRead: of(int32(0)),
			Runtime:  &metav1.Duration{Duration: 1500 * time.Millisecond},
			RampTime: seconds(60), BufferCompressPercentage: of(int32(100)), DedupePercentage: of(int32(0)),
		}, Target{Device: "/dev/target", Seed: 1<<64 - 1}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := JobFile(tt.workload, tt.target)
			if err != nil {
				t.Fatal(err)
			}
			testfiles.Compare(t, "jobs/"+name+".fio", got)
		})
	}
}

func TestJobFileRefuses(t *testing.T) {
	good := v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, Size: resource.MustParse("1Mi")}
	with := func(change func(*v1alpha1.FioWorkload)) v1alpha1.FioWorkload {
		w := *good.DeepCopy()
		change(&w)
		return w
	}
	tests := map[string]struct {
		workload v1alpha1.FioWorkload
		target   Target
		want     string
	}{
		"no target":          {good, Target{}, "target"},
		"two targets":        {good, Target{Directory: "/a", Device: "/b"}, "target"},
		"relative target":    {good, Target{Directory: "a"}, "target"},
		"target above":       {good, Target{Directory: "/a/../b"}, "target"},
		"two files":          {good, Target{Device: "/a:/b"}, "target"},
		"line in target":     {good, Target{Directory: "/a\nexec_prerun=x"}, "target"},
		"unknown rw":         {with(func(w *v1alpha1.FioWorkload) { w.RW = "trim" }), directory, "rw"},
		"empty rw":           {with(func(w *v1alpha1.FioWorkload) { w.RW = "" }), directory, "rw"},
		"unknown engine":     {with(func(w *v1alpha1.FioWorkload) { w.IOEngine = "exec" }), directory, "ioEngine"},
		"unknown sync":       {with(func(w *v1alpha1.FioWorkload) { w.Sync = "1\nexec_prerun=x" }), directory, "sync"},
		"block size":         {with(func(w *v1alpha1.FioWorkload) { w.BS = "4k,8k" }), directory, "bs"},
		"huge block size":    {with(func(w *v1alpha1.FioWorkload) { w.BS = "9999M" }), directory, "bs"},
		"no size":            {with(func(w *v1alpha1.FioWorkload) { w.Size = resource.Quantity{} }), directory, "size"},
		"size below a block": {with(func(w *v1alpha1.FioWorkload) { w.BS = "2M" }), directory, "size"},
		"part below a block": {with(func(w *v1alpha1.FioWorkload) { w.BS, w.NumJobs = "64k", 17 }), device, "size"},
		"mix above 100": {with(func(w *v1alpha1.FioWorkload) {
			w.RW, w.RWMixRead = "randrw", of(int32(101))
		}), directory, "rwMixRead"},
		"no time": {with(func(w *v1alpha1.FioWorkload) {
			w.Runtime = &metav1.Duration{Duration: 1}
		}), directory, "runtime"},
		"negative ramp":        {with(func(w *v1alpha1.FioWorkload) { w.RampTime = seconds(-1) }), directory, "rampTime"},
		"time based on no end": {with(func(w *v1alpha1.FioWorkload) { w.TimeBased = of(true) }), directory, "timeBased"},
		"compression": {with(func(w *v1alpha1.FioWorkload) {
			w.BufferCompressPercentage = of(int32(101))
		}), directory, "bufferCompressPercentage"},
		"a job called global": {with(func(w *v1alpha1.FioWorkload) {
			w.Jobs = []v1alpha1.FioJob{{Name: "global"}}
		}), directory, "jobs"},
		"a job with a line": {with(func(w *v1alpha1.FioWorkload) {
			w.Jobs = []v1alpha1.FioJob{{Name: "a]\n[b"}}
		}), directory, "jobs"},
		"files of nobody": {with(func(w *v1alpha1.FioWorkload) { w.OwnFiles = true }), directory, "ownFiles"},
		"files of a path": {with(func(w *v1alpha1.FioWorkload) {
			w.OwnFiles = true
		}), Target{Directory: "/target", Workload: "../x"}, "ownFiles"},
		"two jobs of a name": {with(func(w *v1alpha1.FioWorkload) {
			w.Jobs = []v1alpha1.FioJob{{Name: "a"}, {Name: "a"}}
		}), directory, "jobs"},
		"a job without a name": {with(func(w *v1alpha1.FioWorkload) {
			w.Jobs = []v1alpha1.FioJob{{RW: "read"}}
		}), directory, "jobs"},
		"negative startDelay": {with(func(w *v1alpha1.FioWorkload) {
			w.Jobs = []v1alpha1.FioJob{{Name: "a", StartDelay: seconds(-1)}}
		}), directory, "startDelay"},
		"two rates": {with(func(w *v1alpha1.FioWorkload) {
			w.Rate, w.RateIOPS = of(resource.MustParse("1Mi")), 1
		}), directory, "rate"},
		"no rate":       {with(func(w *v1alpha1.FioWorkload) { w.Rate = of(resource.MustParse("0")) }), directory, "rate"},
		"negative IOPS": {with(func(w *v1alpha1.FioWorkload) { w.RateIOPS = -1 }), directory, "rateIOPS"},
		"duplicates": {with(func(w *v1alpha1.FioWorkload) {
			w.DedupePercentage = of(int32(-1))
		}), directory, "dedupePercentage"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := JobFile(tt.workload, tt.target)
			var field *FieldError
			if !errors.As(err, &field) || field.Field != tt.want {
				t.Errorf("got %v, want a FieldError of %s", err, tt.want)
			}
		})
	}
}

// A job on a device begins at a block of its own, and leaves the region after its own alone.
func TestRegions(t *testing.T) {
	w := v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, BS: "16k", Size: resource.MustParse("16Ki"), Jobs: []v1alpha1.FioJob{
		{Name: "a"}, {Name: "b", BS: "1M", Size: of(resource.MustParse("5Mi")), NumJobs: 2}, {Name: "c"},
	}}
	text, err := JobFile(w, device)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "offset=") || strings.HasPrefix(line, "size=") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	if diff := cmp.Diff([]string{"size=16384", "size=2097152", "offset=1048576", "size=16384", "offset=5259264"},
		got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNeedsLayout(t *testing.T) {
	tests := map[v1alpha1.FioRW]bool{
		v1alpha1.FioWrite: false, v1alpha1.FioRandWrite: true, v1alpha1.FioRead: true, v1alpha1.FioRandRead: true,
		v1alpha1.FioReadWrite: true,
		v1alpha1.FioRandRW:    true,
	}
	for rw, want := range tests {
		if got := NeedsLayout(v1alpha1.FioWorkload{RW: rw}); got != want {
			t.Errorf("%s: got %t, want %t", rw, got, want)
		}
	}
}

// FuzzJobFile proves that no value of any field can add a line, an option or a section.
func FuzzJobFile(f *testing.F) {
	f.Add("write", "4k", int64(1<<20), int32(4), "psync", int32(1), "None", int32(0), int32(50), int64(time.Second), true,
		"/target", false, uint64(1))
	f.Add("randrw\nexec_prerun=id", "4k\n[x]", int64(1<<40), int32(1000), "external:/x.so", int32(9), "Sync", int32(8),
		int32(70), int64(0), false, "/dev/x", true, uint64(2))
	f.Add("read", "1M", int64(1<<30), int32(1), "libaio", int32(64), "Dsync", int32(-1), int32(-5), int64(-1), false,
		"/a/${HOME}", false, uint64(3))
	for _, text := range validatetest.Attacks("psync") {
		f.Add(text, text, int64(1<<20), int32(1), text, int32(1), text, int32(0), int32(50), int64(time.Second), true, text,
			false, uint64(4))
		f.Add("write", "4k", int64(1<<20), int32(1), text, int32(1), "None", int32(0), int32(50), int64(time.Second), true,
			"/target", false, uint64(4))
		f.Add("write", text, int64(1<<20), int32(1), "psync", int32(1), "None", int32(0), int32(50), int64(time.Second), true,
			"/target/"+text, true, uint64(4))
	}
	allowed := regexp.MustCompile(`^[a-z_]+=[A-Za-z0-9/._:$-]+$`)
	f.Fuzz(func(t *testing.T, rw, bs string, size int64, jobs int32, engine string, depth int32, sync string, fsync,
		percent int32, runtime int64,
		timeBased bool, path string, layout bool, seed uint64) {
		w := v1alpha1.FioWorkload{
			RW: v1alpha1.FioRW(rw), BS: bs, Size: *resource.NewQuantity(size, resource.BinarySI), NumJobs: jobs,
			IOEngine: v1alpha1.FioEngine(engine),
			IODepth:  depth, Sync: v1alpha1.FioSync(sync), Fsync: fsync, RWMixRead: &percent, TimeBased: &timeBased,
			Runtime:                  &metav1.Duration{Duration: time.Duration(runtime)},
			BufferCompressPercentage: &percent,
		}
		for _, target := range []Target{{Directory: path, Layout: layout, Seed: seed},
			{Device: path, Layout: layout, Seed: seed}} {
			got, err := JobFile(w, target)
			if err != nil {
				continue
			}
			lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
			if lines[0] != "[workload]" {
				t.Fatalf("begins with %q", lines[0])
			}
			seen := map[string]bool{}
			for _, line := range lines[1:] {
				option, _, _ := strings.Cut(line, "=")
				if !allowed.MatchString(line) || !ours[option] || seen[option] {
					t.Fatalf("unexpected line %q", line)
				}
				if strings.Contains(strings.ReplaceAll(line, ".$jobnum", ""), "$") {
					t.Fatalf("a keyword in %q", line)
				}
				seen[option] = true
			}
		}
	})
}

// ours are all options that a job file may hold.
var ours = map[string]bool{
	"filename": true, "directory": true, "filename_format": true, "ioengine": true, "iodepth": true, "direct": true,
	"sync": true, "bs": true,
	"size": true, "numjobs": true, "offset_increment": true, "rw": true, "rwmixread": true, "fsync": true,
	"end_fsync": true, "runtime": true,
	"ramp_time": true, "time_based": true, "create_only": true, "refill_buffers": true, "buffer_compress_percentage": true,
	"buffer_compress_chunk": true, "dedupe_percentage": true, "randseed": true, "fallocate": true, "invalidate": true,
	"exitall_on_error": true,
	"group_reporting":  true, "lat_percentiles": true, "clat_percentiles": true, "percentile_list": true,
	"startdelay": true, "rate": true, "rate_iops": true, "new_group": true, "offset": true,
}

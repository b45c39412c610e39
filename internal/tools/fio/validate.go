// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxBlockSizeBytes = 64 << 20
	maxBuffersBytes   = 4 << 30

	maxPasses = 32

	maxRelativeSize = 12

	relativeSizeAlone = "relativeSize is in place of size, and of a workload without jobs: remove one of them"
	steadyAlone       = "steadyState is of a workload without jobs and passes: remove one of them"

	tooManyBuffers = "bs x ioDepth x numJobs, the memory for buffers, must be at most 4 GiB"
)

var (
	runtime = fields.Duration{Name: "runtime", Minimum: time.Second, Maximum: 7 * 24 * time.Hour, Least: "1s",
		Most: "168h", Example: "60s"}
	startDelay = fields.Duration{Name: "startDelay", Minimum: 0, Maximum: 24 * time.Hour, Least: "0s", Most: "24h",
		Example: "30s"}
	rampTime = fields.Duration{Name: "rampTime", Minimum: time.Second, Maximum: 24 * time.Hour, Least: "1s", Most: "24h",
		Example: "10s"}
)

// fioJob checks a job's fields one by one, then what they mean together.
func fioJob(f *v1alpha1.FioWorkload, path *field.Path) field.ErrorList {
	errs := fields.OneOf(f.RW, path.Child("rw"), v1alpha1.FioRead, v1alpha1.FioWrite, v1alpha1.FioRandRead,
		v1alpha1.FioRandWrite, v1alpha1.FioReadWrite, v1alpha1.FioRandRW)
	errs = append(errs, fields.OneOf(f.IOEngine, path.Child("ioEngine"), "psync", "sync", "pvsync2", "libaio", "io_uring",
		"posixaio", "mmap")...)
	errs = append(errs, fields.OneOf(f.Sync, path.Child("sync"), v1alpha1.FioSyncNone, v1alpha1.FioSyncSync,
		v1alpha1.FioSyncDsync)...)
	errs = append(errs, fioSize(f, path)...)
	errs = append(errs, fields.Between(f.NumJobs, 1, 1000, path.Child("numJobs"))...)
	errs = append(errs, fields.Between(f.IODepth, 1, 1024, path.Child("ioDepth"))...)
	errs = append(errs, fields.Between(f.Fsync, 0, 1e9, path.Child("fsync"))...)
	errs = append(errs, fields.OptionalBetween(f.RWMixRead, 0, 100, path.Child("rwMixRead"))...)
	errs = append(errs, fields.OptionalBetween(f.BufferCompressPercentage, 0, 100,
		path.Child("bufferCompressPercentage"))...)
	errs = append(errs, fields.OptionalBetween(f.DedupePercentage, 0, 100, path.Child("dedupePercentage"))...)
	errs = append(errs, runtime.Check(f.Runtime, path.Child("runtime"))...)
	errs = append(errs, rampTime.Check(f.RampTime, path.Child("rampTime"))...)
	errs = append(errs, rates(f, path)...)
	errs = append(errs, fields.Between(f.Passes, 0, maxPasses, path.Child("passes"))...)
	errs = append(errs, steadyState(f, path.Child("steadyState"))...)
	errs = append(errs, CheckBlocks(f, path)...)
	return append(errs, agree(f, path)...)
}

// fioSize checks the size, in bytes or relative to something.
func fioSize(f *v1alpha1.FioWorkload, path *field.Path) field.ErrorList {
	if f.RelativeSize == "" {
		return fields.Size(f.Size, 1, "1", "10Gi", path.Child("size"))
	}
	at := path.Child("relativeSize")
	if len(f.RelativeSize) > maxRelativeSize {
		return field.ErrorList{field.TooLong(at, string(f.RelativeSize), maxRelativeSize)}
	}
	var errs field.ErrorList
	if _, _, ok := f.RelativeSize.Parts(); !ok {
		errs = append(errs, field.Invalid(at, f.RelativeSize,
			"relativeSize must be a number of times the memory or the ARC, up to 99.9, or a percentage of the pool, for "+
				"example 4xRAM, 1.5xARC or 50%Pool"))
	}
	if !f.Size.IsZero() {
		errs = append(errs, field.Invalid(at, f.RelativeSize, relativeSizeAlone))
	}
	return errs
}

// steadyState checks how long a workload is repeated; that it is not of several jobs is checked with these.
func steadyState(f *v1alpha1.FioWorkload, path *field.Path) field.ErrorList {
	if f.SteadyState == nil {
		return nil
	}
	s := f.SteadyState.Filled()
	errs := fields.Between(s.Rounds, 3, 100, path.Child("rounds"))
	errs = append(errs, fields.Between(s.Window, 3, 20, path.Child("window"))...)
	errs = append(errs, fields.OneOf(s.Then, path.Child("then"), v1alpha1.SteadyEnds, v1alpha1.SteadyGoesOn)...)
	if s.Window > s.Rounds {
		errs = append(errs, field.Invalid(path.Child("rounds"), s.Rounds,
			"rounds must be at least window, which is 5 unless it says otherwise"))
	}
	if f.HasPasses() {
		errs = append(errs, field.Invalid(path, "", steadyAlone))
	}
	if !f.IsTimeBased() {
		errs = append(errs, field.Invalid(path, "", "steadyState needs timeBased and a runtime, which is that of each round"))
	}
	return errs
}

// combination is two or more fields that contradict each other or have no effect together.
type combination struct {
	wrong bool
	field string
	why   string
}

func agree(f *v1alpha1.FioWorkload, path *field.Path) field.ErrorList {
	onlyReads := f.RW == v1alpha1.FioRead || f.RW == v1alpha1.FioRandRead
	mixed := f.RW == v1alpha1.FioReadWrite || f.RW == v1alpha1.FioRandRW
	var errs field.ErrorList
	if f.IsTimeBased() && f.Runtime == nil {
		errs = append(errs, field.Required(path.Child("runtime"), "runtime is required with timeBased, for example 60s"))
	}
	for _, c := range []combination{
		{f.IODepth > 1 && !f.IOEngine.Asynchronous(), "ioDepth",
			"ioDepth above 1 needs an asynchronous ioEngine: libaio, io_uring or posixaio"},
		{f.Direct && f.IOEngine == "mmap", "direct", "direct has no meaning with ioEngine mmap: remove one of the two"},
		{f.Sync != v1alpha1.FioSyncNone && onlyReads, "sync", "sync has no effect on rw read and randread: remove it"},
		{f.Sync != v1alpha1.FioSyncNone && f.IOEngine == "mmap", "sync", "sync has no effect with ioEngine mmap: use fsync"},
		{f.Fsync > 0 && onlyReads, "fsync", "fsync has no effect on rw read and randread: remove it"},
		{f.RWMixRead != nil && !mixed, "rwMixRead", "rwMixRead is only for rw readwrite and randrw: remove it"},
		{f.RampTime != nil && !f.IsTimeBased(), "rampTime",
			"rampTime needs timeBased: without it the ramp may be the whole job"},
	} {
		if c.wrong {
			errs = append(errs, field.Invalid(path.Child(c.field), "", c.why))
		}
	}
	return errs
}

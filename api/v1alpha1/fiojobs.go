// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"
)

// SingleFioJob is a job with everything that it takes from its workload. FioWorkload has no Jobs.
//
// +kubebuilder:object:generate=false
type SingleFioJob struct {
	// Name is empty for the only job of a workload without jobs.
	Name       string
	StartDelay time.Duration
	FioWorkload
}

// AllJobs are the jobs of a workload, each complete; of one without jobs, itself.
func (w FioWorkload) AllJobs() []SingleFioJob {
	if len(w.Jobs) == 0 {
		return []SingleFioJob{{FioWorkload: w}}
	}
	all := make([]SingleFioJob, 0, len(w.Jobs))
	for _, j := range w.Jobs {
		single := SingleFioJob{Name: j.Name, FioWorkload: w.with(j)}
		if j.StartDelay != nil {
			single.StartDelay = j.StartDelay.Duration
		}
		all = append(all, single)
	}
	return all
}

// with is the workload as a job changes it. If the job changes the direction or the engine, settings that no longer
// apply are removed.
func (w FioWorkload) with(j FioJob) FioWorkload {
	w.Jobs, w.Preset, w.Passes, w.SteadyState, w.RelativeSize = nil, "", 0, nil, ""
	w.Dataset = cmp.Or(j.Dataset, w.Dataset)
	w.RW = cmp.Or(j.RW, w.RW)
	w.IOEngine = cmp.Or(j.IOEngine, w.IOEngine)
	w = w.Meaningful()
	if j.BS != "" || len(j.BSSplit) > 0 {
		w.BS, w.BSSplit = j.BS, j.BSSplit
	}
	w.NumJobs = cmp.Or(j.NumJobs, w.NumJobs)
	w.IODepth = cmp.Or(j.IODepth, w.IODepth)
	w.Sync = cmp.Or(j.Sync, w.Sync)
	w.Size = ptr.Deref(j.Size, w.Size)
	w.Direct = ptr.Deref(j.Direct, w.Direct)
	w.TimeBased = cmp.Or(j.TimeBased, w.TimeBased)
	w.EndFsync = cmp.Or(j.EndFsync, w.EndFsync)
	w.RWMixRead = cmp.Or(j.RWMixRead, w.RWMixRead)
	w.Runtime = cmp.Or(j.Runtime, w.Runtime)
	w.RampTime = cmp.Or(j.RampTime, w.RampTime)
	w.BufferCompressPercentage = cmp.Or(j.BufferCompressPercentage, w.BufferCompressPercentage)
	w.DedupePercentage = cmp.Or(j.DedupePercentage, w.DedupePercentage)
	if j.Fsync != nil || j.Fdatasync != nil {
		w.Fsync, w.Fdatasync = ptr.Deref(j.Fsync, 0), ptr.Deref(j.Fdatasync, 0)
	}
	if j.Rate != nil || j.RateIOPS != 0 {
		w.Rate, w.RateIOPS = j.Rate, j.RateIOPS
	}
	return w
}

// Meaningful is the workload without the settings that do not apply to its direction or engine.
func (w FioWorkload) Meaningful() FioWorkload {
	if !w.RW.Does(OperationWrite) {
		w.Sync, w.Fsync, w.Fdatasync = FioSyncNone, 0, 0
	}
	if w.RW != FioReadWrite && w.RW != FioRandRW {
		w.RWMixRead = nil
	}
	if !w.IOEngine.Asynchronous() {
		w.IODepth = 1
	}
	return w
}

// Asynchronous says whether an engine can have more than one I/O in flight.
func (e FioEngine) Asynchronous() bool { return e == "libaio" || e == "io_uring" || e == "posixaio" }

// IsTimeBased says whether it runs for the whole runtime.
func (w FioWorkload) IsTimeBased() bool { return ptr.Deref(w.TimeBased, false) }

// Does says whether any job does I/O in a direction.
func (w FioWorkload) Does(d Operation) bool {
	for _, j := range w.AllJobs() {
		if j.RW.Does(d) {
			return true
		}
	}
	return false
}

// Syncs says whether it calls fsync or fdatasync between writes. The call at the end of a job is not measured.
func (j SingleFioJob) Syncs() bool { return j.Fsync > 0 || j.Fdatasync > 0 }

// Operations are reading, writing and syncing of all jobs together, and after them those of each job that has a name;
// or those of each of several passes.
func (w FioWorkload) Operations() []Operation {
	if w.HasPasses() {
		return w.ofPasses(1, int(w.Passes))
	}
	all := []Operation{OperationRead, OperationWrite}
	jobs := w.AllJobs()
	if slices.ContainsFunc(jobs, SingleFioJob.Syncs) {
		all = append(all, OperationSync)
	}
	for _, j := range jobs {
		if j.Name == "" {
			continue
		}
		for _, d := range []Operation{OperationRead, OperationWrite} {
			if j.RW.Does(d) {
				all = append(all, OperationOfJob(j.Name, d))
			}
		}
		if j.Syncs() {
			all = append(all, OperationOfJob(j.Name, OperationSync))
		}
	}
	return all
}

// OperationOfJob is the name of a job's operation, for example clientRead or clientSync.
func OperationOfJob(name string, d Operation) Operation {
	return Operation(name + strings.ToUpper(string(d[:1])) + string(d[1:]))
}

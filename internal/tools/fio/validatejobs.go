// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"fmt"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
	"zfsbench.io/operator/internal/tools/fio/preset"
)

const (
	maxFioJobs    = 8
	maxFioJobName = 20
	// MaxProcesses is the most processes of all jobs together; numJobs limits the processes of one job.
	MaxProcesses = 1000

	minRate, maxRate = 1 << 10, 1 << 40
	maxRateIOPS      = 100000000
)

var fioJobName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// Validate checks each job as it is with what it takes from the workload, and then all of them together.
func (t Tool) Validate(path *field.Path) field.ErrorList {
	f := &t.FioWorkload
	var errs field.ErrorList
	if f.Preset != "" {
		errs = fields.OneOf(f.Preset, path.Child("preset"), preset.Names()...)
	}
	if len(f.Jobs) == 0 {
		return append(errs, fioJob(f, path)...)
	}
	if f.HasPasses() {
		errs = append(errs, field.Invalid(path.Child("passes"), f.Passes,
			"passes are of a workload without jobs: remove one of the two"))
	}
	if f.SteadyState != nil {
		errs = append(errs, field.Invalid(path.Child("steadyState"), "", steadyAlone))
	}
	if f.RelativeSize != "" {
		errs = append(errs, field.Invalid(path.Child("relativeSize"), f.RelativeSize, relativeSizeAlone))
	}
	all := path.Child("jobs")
	errs = append(errs, fields.Count(len(f.Jobs), 1, maxFioJobs, all)...)
	errs = append(errs, neededByJobs(f, path)...)
	names := map[string]bool{}
	for i, j := range f.AllJobs() {
		at := all.Index(i)
		errs = append(errs, nameOfFioJob(j.Name, at.Child("name"))...)
		if names[j.Name] {
			errs = append(errs, field.Duplicate(at, j.Name))
		}
		names[j.Name] = true
		errs = append(errs, startDelay.Check(f.Jobs[i].StartDelay, at.Child("startDelay"))...)
		errs = append(errs, fioJob(&j.FioWorkload, at)...)
	}
	if len(errs) > 0 {
		return errs
	}
	return allJobs(f, all)
}

// neededByJobs says what neither a job nor its workload says.
func neededByJobs(f *v1alpha1.FioWorkload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if f.RW == "" && slices.ContainsFunc(f.Jobs, func(j v1alpha1.FioJob) bool { return j.RW == "" }) {
		errs = append(errs, field.Required(path.Child("rw"), "rw is required, in fio, by its preset, or in each of its jobs"))
	}
	if f.Size.IsZero() && slices.ContainsFunc(f.Jobs, func(j v1alpha1.FioJob) bool { return j.Size == nil }) {
		errs = append(errs, field.Required(path.Child("size"), "size is required, in fio or in each of its jobs"))
	}
	return errs
}

func nameOfFioJob(name string, path *field.Path) field.ErrorList {
	switch {
	case len(name) > maxFioJobName:
		return field.ErrorList{field.TooLong(path, name, maxFioJobName)}
	case !fioJobName.MatchString(name) || name == "global":
		return field.ErrorList{field.Invalid(path, name,
			"name becomes part of file names: it must be lower-case letters and digits, begin with a letter, and not be "+
				"global, for example client")}
	}
	return nil
}

// allJobs checks what the jobs, of which each is valid, take together.
func allJobs(f *v1alpha1.FioWorkload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	var processes, buffers int64
	for _, j := range f.AllJobs() {
		// Blocks that have no size yet are checked with the variants.
		r, _ := j.BlockRange()
		processes += int64(j.NumJobs)
		buffers += r.Largest * int64(j.IODepth) * int64(j.NumJobs)
	}
	if processes > MaxProcesses {
		errs = append(errs, field.Invalid(path, processes,
			fmt.Sprintf("numJobs of all jobs together must be at most %d", MaxProcesses)))
	}
	if buffers > maxBuffersBytes {
		errs = append(errs, field.Invalid(path, buffers, tooManyBuffers+" for all jobs together"))
	}
	return errs
}

// rates checks how fast a job may be.
func rates(f *v1alpha1.FioWorkload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if r := f.Rate; r != nil {
		at := path.Child("rate")
		if n, whole := fields.Bytes(*r); !whole || n < minRate || n > maxRate {
			errs = append(errs, field.Invalid(at, fields.Text(*r),
				"rate must be a whole number of bytes per second from 1Ki to 1Ti, for example 10Mi"))
		}
		if f.RateIOPS != 0 {
			errs = append(errs, field.Invalid(at, fields.Text(*r), "only one of rate and rateIOPS can be set"))
		}
	}
	return append(errs, fields.Between(f.RateIOPS, 0, maxRateIOPS, path.Child("rateIOPS"))...)
}

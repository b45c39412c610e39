// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// layoutBlockBytes is the size of the writes that lay out files: whole records at any recordsize up to 1 MiB.
const layoutBlockBytes = 1 << 20

// compressChunkBytes is the smallest unit of which the compressible part is compressible: fio's default, and no larger
// than any recordsize.
const compressChunkBytes = 512

var (
	// namePattern is what the name of one of several jobs may look like.
	namePattern = regexp.MustCompile(`^[a-z][a-z0-9]{0,19}$`)
	// ownerPattern is what the name of a workload may look like that is part of a file's name.
	ownerPattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$`)
	// targetPattern is what a target's path may look like. A colon would make fio see two files.
	targetPattern = regexp.MustCompile(`^(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$`)
)

// Target is where a workload does its I/O; exactly one of Directory and Device is set.
type Target struct {
	// Directory is the absolute path of the mounted dataset. The files in it are called after their size and content, so
	// that workloads of the same size share them: one that reads finds what one before it wrote, and one that writes
	// overwrites.
	Directory string
	// Children is the absolute path of the directory in which the children of the dataset are mounted, each under its
	// name.
	Children string
	// Device is the absolute path of a block device, which the jobs divide between them.
	Device string
	// Workload is the name of the workload, for files that are its own.
	Workload string
	// Layout writes what the workload is going to read or overwrite, and measures nothing. Files that are complete stay as
	// they are; a device is written again.
	Layout bool
	// Seed makes the run repeatable; see the function Seed.
	Seed uint64
}

// NeedsLayout says whether the target must be laid out before the workload. Everything but sequential writing reads or
// overwrites, and would otherwise meet holes, which cost no I/O.
func NeedsLayout(w v1alpha1.FioWorkload) bool {
	return slices.ContainsFunc(w.AllJobs(), func(j v1alpha1.SingleFioJob) bool { return meetsHoles(j.FioWorkload) })
}

func meetsHoles(w v1alpha1.FioWorkload) bool { return w.RW != v1alpha1.FioWrite }

// JobFile writes the job file for a workload. Every line is written here from typed values; no text from a workload
// reaches it. The error is a *FieldError.
//
// Choices beyond the workload's fields: buffers hold fresh random data unless the workload states their compressibility
// or duplication; files are never preallocated, which ZFS would answer with holes; fio drops no caches, because the
// runner decides whether they are warm; the first job to fail ends all; latency is total latency, and all processes of
// a job are reported as one.
//
// A workload of several jobs has a section for each that is called after it, and each is reported by itself. On a
// device they have regions one after the other.
func JobFile(w v1alpha1.FioWorkload, t Target) (string, error) {
	if err := checkNames(w.Jobs); err != nil {
		return "", err
	}
	if w.OwnFiles && !ownerPattern.MatchString(t.Workload) {
		return "", &FieldError{Field: "ownFiles", Problem: fmt.Sprintf("%q cannot be a part of a file's name", t.Workload)}
	}
	var sections []string
	var offset int64
	for _, j := range w.AllJobs() {
		s, err := shapeOf(j, t, offset)
		if err != nil {
			return "", err
		}
		text, err := section(j, t, s)
		if err != nil {
			return "", err
		}
		if !t.Layout || meetsHoles(j.FioWorkload) {
			sections = append(sections, text)
		}
		offset += j.Size.Value()
	}
	return strings.Join(sections, "\n"), nil
}

// checkNames refuses what cannot be a section of its own.
func checkNames(jobs []v1alpha1.FioJob) error {
	seen := map[string]bool{}
	for _, j := range jobs {
		if !namePattern.MatchString(j.Name) || j.Name == "global" || seen[j.Name] {
			return &FieldError{Field: "jobs", Problem: fmt.Sprintf("%q cannot be the name of a job, or is used twice", j.Name)}
		}
		seen[j.Name] = true
	}
	return nil
}

// section is a job's part of the file.
func section(j v1alpha1.SingleFioJob, t Target, s shape) (string, error) {
	w, measured := j.FioWorkload, file{}
	measured.target(j, t, s)
	if err := measured.measure(w, s); err != nil {
		return "", err
	}
	if err := measured.start(j); err != nil {
		return "", err
	}
	f := measured
	if t.Layout {
		f = file{}
		f.target(j, t, s)
		f.layout(w, t, s)
	}
	if err := f.buffers(w, t); err != nil {
		return "", err
	}
	f.reporting()
	if j.Name == "" {
		return "[workload]\n" + strings.Join(f.lines, "\n") + "\n", nil
	}
	f.enable("new_group")
	return "[" + j.Name + "]\n" + strings.Join(f.lines, "\n") + "\n", nil
}

// shape has the sizes of a job's I/O in bytes.
type shape struct {
	// block is the size of the blocks, of several sizes the largest; smallest is the smallest.
	block, smallest int64
	// size is what each of its processes covers.
	size int64
	jobs int64
	// offset is where the first of them begins on a device.
	offset int64
}

// shapeOf divides a job's region of a device, which begins at an offset, between its processes, in whole blocks.
func shapeOf(w v1alpha1.SingleFioJob, t Target, offset int64) (shape, error) {
	if (t.Directory == "") == (t.Device == "") || !targetPattern.MatchString(t.Directory+t.Device) {
		return shape{}, &FieldError{Field: "target",
			Problem: fmt.Sprintf("%q is not the path of one directory or device", t.Directory+t.Device)}
	}
	if w.Dataset != "" && (t.Device != "" || !targetPattern.MatchString(t.directoryOf(w))) {
		return shape{}, &FieldError{Field: "dataset",
			Problem: fmt.Sprintf("%q is not a child of the workload's dataset", w.Dataset)}
	}
	block, smallest, err := blocksOf(w.FioWorkload)
	if err != nil {
		return shape{}, err
	}
	s := shape{block: block, smallest: smallest, size: w.Size.Value(), jobs: max(1, int64(w.NumJobs))}
	if t.Device != "" {
		// A job whose blocks are larger than the previous job's begins at the next multiple of its own block size, and ends
		// where it would have ended anyway.
		s.offset = (offset + block - 1) / block * block
		s.size = (offset + s.size - s.offset) / s.jobs / block * block
	}
	if s.size < block {
		return shape{}, &FieldError{Field: "size",
			Problem: fmt.Sprintf("%s leaves less than one block of %d bytes for each of %d jobs",
				w.Size.String(), block, s.jobs)}
	}
	return s, nil
}

// file collects the options of the one section.
type file struct{ lines []string }

func (f *file) set(option, value string) { f.lines = append(f.lines, option+"="+value) }

func (f *file) setInt(option string, value int64) { f.set(option, strconv.FormatInt(value, 10)) }

func (f *file) enable(option string) { f.set(option, "1") }

// target names the files or the device. Compressibility and duplication are part of a file's name, because they are
// part of its content; the name of one of several jobs is, because $jobnum starts again in each section.
func (f *file) target(w v1alpha1.SingleFioJob, t Target, s shape) {
	if t.Device != "" {
		f.set("filename", t.Device)
		return
	}
	name := fmt.Sprintf("data-%d", s.size)
	if p := w.BufferCompressPercentage; p != nil {
		name += fmt.Sprintf("-compress%d", *p)
	}
	if p := w.DedupePercentage; p != nil {
		name += fmt.Sprintf("-dedupe%d", *p)
	}
	if w.Name != "" {
		name += "-" + w.Name
	}
	if w.OwnFiles {
		name += "-of-" + t.Workload
	}
	f.set("directory", t.directoryOf(w))
	f.set("filename_format", name+".$jobnum")
}

// directoryOf is where a job has its files.
func (t Target) directoryOf(w v1alpha1.SingleFioJob) string {
	if w.Dataset == "" {
		return t.Directory
	}
	return t.Children + "/" + w.Dataset
}

// layout writes what the workload needs. For files, fio's create_only does it, and only where a file is missing or too
// short; the same block size as the workload keeps duplicates at its granularity. A device is written by one job from
// end to end.
func (f *file) layout(w v1alpha1.FioWorkload, t Target, s shape) {
	block := s.smallest
	if w.DedupePercentage == nil && s.size%layoutBlockBytes == 0 {
		block = layoutBlockBytes
	}
	f.set("ioengine", "psync")
	f.setInt("bs", block)
	if t.Device != "" {
		f.set("rw", "write")
		f.setInt("size", s.size*s.jobs)
		f.offset(s)
		f.enable("end_fsync")
		return
	}
	f.set("rw", "read")
	f.setInt("size", s.size)
	f.setInt("numjobs", s.jobs)
	f.enable("create_only")
}

// measure writes the workload itself.
func (f *file) measure(w v1alpha1.FioWorkload, s shape) error {
	if err := f.engine(w); err != nil {
		return err
	}
	f.blocks(w, s)
	f.setInt("size", s.size)
	f.setInt("numjobs", s.jobs)
	if f.has("filename") {
		f.offset(s)
		f.setInt("offset_increment", s.size)
	}
	if err := f.direction(w); err != nil {
		return err
	}
	if err := f.rate(w); err != nil {
		return err
	}
	return f.duration(w)
}

// offset says where on the device a job begins that is not the first.
func (f *file) offset(s shape) {
	if s.offset > 0 {
		f.setInt("offset", s.offset)
	}
}

func (f *file) has(option string) bool {
	return slices.ContainsFunc(f.lines, func(line string) bool { return strings.HasPrefix(line, option+"=") })
}

// engine writes how the I/O is done. A depth means nothing to the synchronous engines.
func (f *file) engine(w v1alpha1.FioWorkload) error {
	switch w.IOEngine {
	case "":
		f.set("ioengine", "psync")
	case "psync", "sync", "pvsync2", "mmap":
		f.set("ioengine", string(w.IOEngine))
	case "libaio", "io_uring", "posixaio":
		f.set("ioengine", string(w.IOEngine))
		f.setInt("iodepth", max(1, int64(w.IODepth)))
	default:
		return &FieldError{Field: "ioEngine", Problem: fmt.Sprintf("%q is not allowed", w.IOEngine)}
	}
	if w.Direct {
		f.enable("direct")
	}
	switch w.Sync {
	case "", v1alpha1.FioSyncNone:
	case v1alpha1.FioSyncSync:
		f.set("sync", "sync")
	case v1alpha1.FioSyncDsync:
		f.set("sync", "dsync")
	default:
		return &FieldError{Field: "sync", Problem: fmt.Sprintf("%q is not one of None, Sync, Dsync", w.Sync)}
	}
	return nil
}

// direction writes rw and what only matters to jobs that write.
func (f *file) direction(w v1alpha1.FioWorkload) error {
	switch w.RW {
	case v1alpha1.FioRead, v1alpha1.FioRandRead:
		f.set("rw", string(w.RW))
		return nil
	case v1alpha1.FioReadWrite, v1alpha1.FioRandRW:
		f.set("rw", string(w.RW))
		mix := int32(50)
		if w.RWMixRead != nil {
			mix = *w.RWMixRead
		}
		if err := f.percentage("rwMixRead", "rwmixread", mix); err != nil {
			return err
		}
	case v1alpha1.FioWrite, v1alpha1.FioRandWrite:
		f.set("rw", string(w.RW))
	default:
		return &FieldError{Field: "rw", Problem: fmt.Sprintf("%q is not allowed", w.RW)}
	}
	if w.Fsync > 0 {
		f.setInt("fsync", int64(w.Fsync))
	}
	if w.Fdatasync > 0 {
		f.setInt("fdatasync", int64(w.Fdatasync))
	}
	if w.EndFsync == nil || *w.EndFsync {
		f.enable("end_fsync")
	}
	return nil
}

// duration writes the times, in milliseconds.
func (f *file) duration(w v1alpha1.FioWorkload) error {
	for _, d := range []struct {
		field, option string
		value         *metav1.Duration
	}{{"runtime", "runtime", w.Runtime}, {"rampTime", "ramp_time", w.RampTime}} {
		if d.value == nil {
			continue
		}
		if d.value.Duration < time.Millisecond {
			return &FieldError{Field: d.field, Problem: fmt.Sprintf("%s is less than a millisecond", d.value.Duration)}
		}
		f.set(d.option, fmt.Sprintf("%dms", d.value.Milliseconds()))
	}
	if w.IsTimeBased() {
		if w.Runtime == nil {
			return &FieldError{Field: "timeBased", Problem: "needs a runtime"}
		}
		f.enable("time_based")
	}
	return nil
}

// buffers writes what the written data looks like. refill_buffers makes every write new; without it fio repeats its
// buffers and only scrambles a few bytes of them, which compresses and deduplicates to nearly nothing.
func (f *file) buffers(w v1alpha1.FioWorkload, t Target) error {
	f.enable("refill_buffers")
	if p := w.BufferCompressPercentage; p != nil {
		if err := f.percentage("bufferCompressPercentage", "buffer_compress_percentage", *p); err != nil {
			return err
		}
		f.setInt("buffer_compress_chunk", compressChunkBytes)
	}
	if p := w.DedupePercentage; p != nil {
		if err := f.percentage("dedupePercentage", "dedupe_percentage", *p); err != nil {
			return err
		}
	}
	// fio reads the seed as a signed number.
	f.set("randseed", strconv.FormatUint(t.Seed&math.MaxInt64, 10))
	return nil
}

func (f *file) percentage(field, option string, value int32) error {
	if value < 0 || value > 100 {
		return &FieldError{Field: field, Problem: fmt.Sprintf("%d is not a percentage", value)}
	}
	f.setInt(option, int64(value))
	return nil
}

func (f *file) reporting() {
	f.set("fallocate", "none")
	f.set("invalidate", "0")
	f.enable("exitall_on_error")
	f.enable("group_reporting")
	f.enable("lat_percentiles")
	f.set("clat_percentiles", "0")
	f.set("percentile_list", "50:95:99:99.9")
}

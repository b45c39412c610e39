// SPDX-License-Identifier: Apache-2.0

package tools

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/toolreport"
)

// Program is a program that the runner starts: how to start it, and how to read its output.
type Program interface {
	// Name is the tool's name in messages.
	Name() string
	// Probe returns how the runner finds out its version.
	Probe() Probe
	// NeedsLayout says whether it must run once before the measurement, to write the data that the measurement reads.
	NeedsLayout() bool
	// Start returns how to start it.
	Start(on Place) (Start, error)
	// Read makes the tool's part of a sample from its output. notes are its other messages. For a layout it only checks
	// that the tool succeeded.
	Read(from Output, layout bool) (s result.Sample, notes []string, err error)
	// Live returns a writer for what the tool prints, which finds its progress there.
	Live() Live
}

// Tool is a program with the options of a workload, and what is known about the workload before it runs.
type Tool interface {
	Program
	// Validate checks the workload's field, which is at path, for errors that the CRD does not find. The other methods
	// need a valid workload.
	Validate(path *field.Path) field.ErrorList
	// Bytes is the most that it stores, inodes included.
	Bytes() float64
	// SmallestFile is the size in bytes of its smallest files, if it has many; 0 for none.
	SmallestFile() int64
	// Duration is how long it takes on a slow disk, at most MaxDuration; LeastDuration how long on the fastest disk.
	Duration() time.Duration
	LeastDuration() time.Duration
	// Describe says in one line, for a report, what runs with which options.
	Describe() string
	// Options are what two workloads must have in common to be compared: values by name, with one spelling for each value.
	Options() map[string]string
	// Synchronous says whether it waits until what it writes is on stable storage.
	Synchronous() bool
	// HasOwnData says whether the compressibility of its data is intended, so that it needs no caveat.
	HasOwnData() bool
	// TimeLimit is the time after which the workload's own options end it; 0 for none.
	TimeLimit() time.Duration
}

// Place is where a tool works. Its paths are absolute paths inside the sandbox.
type Place struct {
	// Directory or Device is the target. The other one is empty.
	Directory, Device string
	// Children is the directory that has the directories of the dataset's children.
	Children string
	// Output is the directory for the tool's input and reports, Source the directory with the data of its Source.
	Output, Source string
	// Layout says that this run only writes what the measurement will read.
	Layout bool
	// Seed is the seed of random generators.
	Seed uint64
}

// Input is the path of the file in the output directory that the tool reads.
func (p Place) Input() string { return p.Output + "/" + InputName }

// Report is the path of the file in the output directory that the tool writes.
func (p Place) Report() string { return p.Output + "/" + ReportName }

// The names of the input and the report in the output directory.
const (
	InputName  = "job.fio"
	ReportName = "report.json"
)

// Probe is a run of a tool that measures nothing.
type Probe struct {
	Argv []string
	// Self says that the tool is the runner itself.
	Self bool
	// Image replaces the runner's own programs; empty for none. Source is data that must exist.
	Image  v1alpha1.ImageReference
	Source Source
	// Fails says that the tool ends with an error whenever it prints its version.
	Fails bool
	// Version finds name and version in what it prints; empty if they are missing.
	Version func(stdout, stderr string) string
	// Hint says how to get the tool if it cannot be started; empty for one that every runner has.
	Hint string
}

// Start is how a tool is started.
type Start struct {
	Argv []string
	// Self says that the tool is the runner itself.
	Self bool
	// Input is what the tool finds in Place.Input; empty for none.
	Input string
	// Limits are the number of processes and threads together, and the private memory of each process in bytes.
	Limits  Limits
	IOUring bool
	// NamedUser gives a name to the user that it runs as, for a tool that needs one.
	NamedUser bool
	// Image replaces the runner's own programs; empty for none. Source is the data that it reads.
	Image  v1alpha1.ImageReference
	Source Source
	// NoOutput says that it has no output directory.
	NoOutput bool
}

// Limits are processes and threads, all of them together, and private memory in bytes, of each process.
type Limits struct {
	Tasks     int
	DataBytes int64
}

// Source is where data that users provide comes from: an image, a PersistentVolumeClaim, or neither.
type Source struct {
	Image v1alpha1.ImageReference
	Claim string
}

// Output is the output of a tool that has ended.
type Output struct {
	// Report opens a file of the output directory.
	Report func(name string) (io.ReadCloser, error)
	// Printed is the beginning and the end of what it printed on standard output.
	Printed string
	// Took is how long it ran.
	Took time.Duration
}

// Open opens the report of a tool, or returns an error that says that there is none.
func (o Output) Open(tool string) (io.ReadCloser, error) {
	file, err := o.Report(ReportName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, toolreport.Tool(tool).Missing()
	}
	return file, err
}

// Explaining returns the output of a tool that prints on standard output why it failed; empty without an error.
func (o Output) Explaining(err error) []string {
	if err == nil {
		return nil
	}
	return []string{strings.TrimSpace(o.Printed)}
}

// Live receives what a tool prints, and finds its progress there.
type Live interface {
	io.Writer
	// Last is the last status; false if there was none.
	Last() (Status, bool)
}

// Status is the progress of a tool.
type Status struct {
	// Percent is 0 to 100 of the current phase.
	Percent int
	// ReadBytesPerSecond and WriteBytesPerSecond are the rates since the previous status; 0 for a tool that does not
	// report rates.
	ReadBytesPerSecond, WriteBytesPerSecond int64
}

// Silent is a tool that prints nothing until it ends.
type Silent struct{}

func (Silent) Write(p []byte) (int, error) { return len(p), nil }

// Last finds no status.
func (Silent) Last() (Status, bool) { return Status{}, false }

// Defaults has the methods that are the same for most tools. A tool embeds it and overrides the others.
type Defaults struct{}

// Validate finds no error: the CRD checks everything.
func (Defaults) Validate(*field.Path) field.ErrorList { return nil }

// NeedsLayout is false.
func (Defaults) NeedsLayout() bool { return false }

// SmallestFile is none.
func (Defaults) SmallestFile() int64 { return 0 }

// LeastDuration is none.
func (Defaults) LeastDuration() time.Duration { return 0 }

// Synchronous is false.
func (Defaults) Synchronous() bool { return false }

// HasOwnData is false: the data are random.
func (Defaults) HasOwnData() bool { return false }

// TimeLimit is none.
func (Defaults) TimeLimit() time.Duration { return 0 }

// Live is silent.
func (Defaults) Live() Live { return Silent{} }

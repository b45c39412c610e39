// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"io"
	"io/fs"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/toolreport"
)

// tool is what measures a workload: how it is started, and what it says. A new one gets a file, and a line in toolOf.
type tool interface {
	// name is what messages call it.
	name() string
	// probe is how it is asked for its version.
	probe() probe
	// needsLayout says whether it is run once before, which writes what the measurement will read, and is not measured.
	needsLayout() bool
	start(on place) (start, error)
	// read makes the tool's part of a sample from what it has left. notes are what it said beside that. Of a layout it only says whether that succeeded.
	read(from output, layout bool) (s result.Sample, notes []string, err error)
	// live follows what it prints.
	live() live
}

// place is what a tool works on: a directory or a block device, whose paths are those in the sandbox.
type place struct {
	directory, device string
	// children is the directory that holds those of the children of the dataset.
	children string
	layout   bool
	// seed is for whatever is random.
	seed uint64
}

// probe is a run of a tool that measures nothing.
type probe struct {
	argv []string
	self bool
	// image has the programs in place of the runner's own; empty for none. source has data that has to be there.
	image  v1alpha1.ImageReference
	source source
	// fails says that the tool ends with an error whenever it tells its version.
	fails bool
	// version finds name and version in what it prints; empty if they are not there.
	version func(stdout, stderr string) string
	// hint says how to get the tool if it cannot be started; empty for one that every runner has.
	hint string
}

// start is how a tool is started.
type start struct {
	argv []string
	// self says that the tool is the runner itself.
	self bool
	// input is what the tool finds in the file inputName of its output directory; empty for none.
	input   string
	limits  sandbox.Limits
	ioUring bool
	// image has the programs in place of the runner's own; empty for none. source has the data.
	image  v1alpha1.ImageReference
	source source
	// noOutput says that it has no output directory.
	noOutput bool
}

// inputName and reportName are files in the tool's output directory: what it is given, and what it writes.
const (
	inputName  = "job.fio"
	reportName = "report.json"
)

// output is what a tool has left: files in its output directory, and the beginning and the end of what it printed.
type output struct {
	report  func(name string) (io.ReadCloser, error)
	printed string
	// took is how long it ran.
	took time.Duration
}

// open opens the report of a tool, or returns that there is none.
func (o output) open(tool string) (io.ReadCloser, error) {
	file, err := o.report(reportName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, toolreport.Tool(tool).Missing()
	}
	return file, err
}

// live is fed with what a tool prints, and knows how far it is.
type live interface {
	io.Writer
	last() (status, bool)
}

// status is how far a tool is.
type status struct {
	percent                                 int
	readBytesPerSecond, writeBytesPerSecond int64
}

// silent is a tool that prints nothing until it ends.
type silent struct{}

func (silent) Write(p []byte) (int, error) { return len(p), nil }

func (silent) last() (status, bool) { return status{}, false }

// percentages reads how much is done in what a tool prints.
type percentages interface {
	io.Writer
	Percent() (int, bool)
}

// percentLive is a tool that tells no more than how much is done.
type percentLive struct{ percentages }

func (l percentLive) last() (status, bool) {
	percent, ok := l.Percent()
	return status{percent: percent}, ok
}

// toolOf is the tool of a workload.
func toolOf(w v1alpha1.Workload) (tool, error) {
	switch {
	case w.Fio != nil:
		return fioTool{w.Name, *w.Fio}, nil
	case w.Bonnie != nil:
		return bonnieTool{*w.Bonnie}, nil
	case w.Tree != nil:
		return newTreeTool(w.Name, *w.Tree), nil
	case w.Streams != nil:
		return newStreamsTool(w.Name, *w.Streams), nil
	case w.Copy != nil:
		return newCopyTool(w.Name, *w.Copy), nil
	case w.Corpus != nil:
		return newCorpusTool(w.Name, *w.Corpus), nil
	case w.Script != nil:
		return scriptTool{w.Name, *w.Script}, nil
	case w.Iozone != nil:
		return iozoneTool{*w.Iozone}, nil
	case w.Fsmark != nil:
		return fsmarkTool{*w.Fsmark}, nil
	case w.Dbench != nil:
		return dbenchTool{*w.Dbench}, nil
	}
	return nil, errors.New("this runner does not know its tool")
}

// isNoReport says whether a tool did not get as far as writing a report.
func isNoReport(err error) bool {
	var missing *toolreport.MissingError
	return errors.As(err, &missing)
}

// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"zfsbench.io/operator/internal/text/lines"
)

// kthreadd is the process whose children are the threads of the kernel.
const kthreadd = 2

// process is what is needed of /proc/PID/stat, see proc_pid_stat(5).
type process struct {
	parent int
	// ticks are the ticks of the process itself and of all its descendants that were waited for. A process that ends
	// passes its ticks on to its parent, so the sum over all processes loses nothing.
	ticks uint64
}

// processSeconds is the time of all processes but this one and the kernel's threads. Those threads do the work of
// OpenZFS, of block devices and of interrupts. Which of them work for the benchmark nobody can say: their names differ
// from release to release, and when they end, as threads of a taskq do when they are idle, their time is in no sum.
func (n Kernel) processSeconds() (float64, error) {
	self, err := os.Readlink(n.proc("self"))
	if err != nil {
		return 0, fmt.Errorf("monitor: %w", err)
	}
	entries, err := os.ReadDir(n.proc())
	if err != nil {
		return 0, fmt.Errorf("monitor: %w", err)
	}
	var ticks uint64
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || entry.Name() == self {
			continue
		}
		p, err := parseFile(n.proc(entry.Name(), "stat"), parseProcess)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // ended meanwhile
		}
		if err != nil {
			return 0, err
		}
		if pid != kthreadd && p.parent != kthreadd {
			ticks += p.ticks
		}
	}
	return float64(ticks) / ticksPerSecond, nil
}

// maxProcessBytes bounds a process's line, which has 52 numbers and a name.
const maxProcessBytes = 4096

// parseProcess reads /proc/PID/stat. The name may hold anything, brackets, digits and a line's end included, but
// nothing after it holds a bracket.
func parseProcess(r io.Reader) (process, error) {
	const parent, first, last = 1, 11, 14
	text, err := io.ReadAll(io.LimitReader(r, maxProcessBytes+1))
	if err != nil {
		return process{}, err
	}
	if len(text) > maxProcessBytes {
		return process{}, &lines.LimitError{What: "text", LimitBytes: maxProcessBytes}
	}
	end := bytes.LastIndexByte(text, ')')
	if end < 0 || text[len(text)-1] != '\n' {
		return process{}, lines.ErrCutOff
	}
	fields := strings.Fields(string(text[end+1:]))
	if len(fields) <= last {
		return process{}, fmt.Errorf("%d fields after the name, want at least %d", len(fields), last+1)
	}
	var p process
	if p.parent, err = strconv.Atoi(fields[parent]); err != nil {
		return process{}, err
	}
	for _, field := range fields[first : last+1] {
		ticks, err := strconv.ParseUint(field, 10, processTicksBits)
		if err != nil {
			return process{}, err
		}
		p.ticks += ticks
	}
	return p, nil
}

// processTicksBits is what a thousand CPUs count in a century, so that the sum over four million processes fits.
const processTicksBits = 40

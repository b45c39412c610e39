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

// process is the part of /proc/PID/stat that is needed, see proc_pid_stat(5).
type process struct {
	parent int
	// ticks are the ticks of the process itself and of all its descendants that were waited for. A process that ends
	// passes its ticks on to its parent, so the sum over all processes loses nothing.
	ticks uint64
}

// processSeconds is the time of all processes except this one and the kernel's threads. Kernel threads work for
// OpenZFS, block devices and interrupts. It is impossible to tell which of them work for the benchmark: their names
// differ between releases, and when they end, like idle taskq threads, their time is in no sum.
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

// maxProcessBytes limits a process's line, which has 52 numbers and a name.
const maxProcessBytes = 4096

// parseProcess reads /proc/PID/stat. The name may contain anything, including brackets, digits and line feeds, but
// nothing after it contains a bracket.
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

// processTicksBits is enough for a thousand CPUs for a century, and small enough to add up four million processes.
const processTicksBits = 40

// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/node/series"
	"zfsbench.io/operator/internal/text/lines"
)

// stall is a file of /proc/pressure, in seconds: Documentation/accounting/psi.rst of Linux.
type stall struct{ some, full float64 }

// pressure returns nil if the kernel does not support it, or if it is switched off.
func (n Kernel) pressure() (*series.Pressure, error) {
	var stalls [3]stall
	for i, of := range []string{"cpu", "io", "memory"} {
		s, err := parseFile(n.proc("pressure", of), parseStall)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.EOPNOTSUPP) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		stalls[i] = s
	}
	cpu, io, memory := stalls[0], stalls[1], stalls[2]
	return &series.Pressure{CPUSome: cpu.some, IOSome: io.some, IOFull: io.full, MemorySome: memory.some,
		MemoryFull: memory.full}, nil
}

// parseStall reads lines such as "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345", whose total is in microseconds.
// Before Linux 5.13 there is no full of the CPU.
func parseStall(r io.Reader) (stall, error) {
	var s stall
	found := false
	for line, err := range lines.All(r) {
		if err != nil {
			return stall{}, err
		}
		kind, rest, _ := strings.Cut(line, " ")
		_, total, ok := strings.Cut(rest, "total=")
		if !ok {
			return stall{}, fmt.Errorf("no total in %q", line)
		}
		micros, err := strconv.ParseUint(total, 10, 63)
		if err != nil {
			return stall{}, err
		}
		switch kind {
		case "some":
			s.some, found = float64(micros)/1e6, true
		case "full":
			s.full = float64(micros) / 1e6
		}
	}
	if !found {
		return stall{}, errors.New("no line starts with some")
	}
	return s, nil
}

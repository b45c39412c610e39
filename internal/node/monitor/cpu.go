// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/text/lines"
)

// ticksPerSecond is USER_HZ, the unit of /proc/stat; it is 100 on every architecture that OpenZFS runs on.
const ticksPerSecond = 100

// ticksBits is enough for a million CPUs for a century.
const ticksBits = 60

// The fields of the cpu line of /proc/stat, see proc_stat(5). Guest time is part of user time. Stolen time is not work
// of this node.
const (
	statUser = iota
	statNice
	statSystem
	statIdle
	statIOWait
	statIRQ
	statSoftIRQ
	statSteal
	statFields
)

// cpuTimes are seconds of all CPUs of the node since boot.
type cpuTimes struct {
	// busy is the time in use, stolen the time that a hypervisor gave to others, and capacity all of the time.
	busy, stolen, capacity float64
}

// CPUSeconds is the time that all CPUs of the node have worked since boot, kernel threads included: not idle, not
// waiting for I/O, not stolen by a hypervisor. The difference of two readings is what was used in between, with a
// resolution of 10 ms per CPU.
func (n Kernel) CPUSeconds() (float64, error) {
	times, err := parseFile(n.proc("stat"), parseCPUTimes)
	return times.busy, err
}

func parseCPUTimes(r io.Reader) (cpuTimes, error) {
	for line, err := range lines.All(r) {
		if err != nil {
			return cpuTimes{}, err
		}
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "cpu" {
			continue
		}
		return cpuTimesOf(fields[1:])
	}
	return cpuTimes{}, errors.New("no line starts with cpu")
}

func cpuTimesOf(fields []string) (cpuTimes, error) {
	all, err := statTicks(fields)
	if err != nil {
		return cpuTimes{}, err
	}
	var times cpuTimes
	for i, seconds := range all {
		times.capacity += seconds
		switch i {
		case statSteal:
			times.stolen = seconds
		case statIdle, statIOWait:
		default:
			times.busy += seconds
		}
	}
	return times, nil
}

// statTicks are the seconds in each state.
func statTicks(fields []string) ([statFields]float64, error) {
	var all [statFields]float64
	if len(fields) < statFields {
		return all, fmt.Errorf("%d fields, want at least %d", len(fields), statFields)
	}
	for i := range statFields {
		ticks, err := strconv.ParseUint(fields[i], 10, ticksBits)
		if err != nil {
			return all, err
		}
		all[i] = float64(ticks) / ticksPerSecond
	}
	return all, nil
}

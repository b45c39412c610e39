// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/lines"
)

// ticksPerSecond is USER_HZ, the unit of /proc/stat; it is 100 on every architecture that OpenZFS runs on.
const ticksPerSecond = 100

// ticksBits is more than a million CPUs count in a century.
const ticksBits = 60

// The fields of the cpu line of /proc/stat, see proc_stat(5). Guest time is part of user time. Stolen time is no work of this node.
const (
	statUser = iota
	statNice
	statSystem
	statIdle
	statIOWait
	statIRQ
	statSoftIRQ
	statFields
)

// CPUSeconds is the time that all CPUs of the node have worked since boot, kernel threads included: not idle, not waiting for I/O, not
// stolen by a hypervisor. The difference of two readings is what was used in between, with a resolution of 10 ms per CPU.
func (n Node) CPUSeconds() (float64, error) {
	return parseFile(n.proc("stat"), parseCPUSeconds)
}

func parseCPUSeconds(r io.Reader) (float64, error) {
	for line, err := range lines.All(r) {
		if err != nil {
			return 0, err
		}
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "cpu" {
			continue
		}
		return busySeconds(fields[1:])
	}
	return 0, errors.New("no line starts with cpu")
}

func busySeconds(fields []string) (float64, error) {
	if len(fields) < statFields {
		return 0, fmt.Errorf("%d fields, want at least %d", len(fields), statFields)
	}
	var ticks uint64
	for _, i := range []int{statUser, statNice, statSystem, statIRQ, statSoftIRQ} {
		v, err := strconv.ParseUint(fields[i], 10, ticksBits)
		if err != nil {
			return 0, err
		}
		ticks += v
	}
	return float64(ticks) / ticksPerSecond, nil
}

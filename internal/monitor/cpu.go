// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ticksPerSecond is USER_HZ, the unit of /proc/stat; it is 100 on every architecture that OpenZFS runs on.
const ticksPerSecond = 100

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
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || fields[0] != "cpu" {
			continue
		}
		return busySeconds(fields[1:])
	}
	return 0, errors.Join(errors.New("no line starts with cpu"), lines.Err())
}

func busySeconds(fields []string) (float64, error) {
	if len(fields) < statFields {
		return 0, fmt.Errorf("%d fields, want at least %d", len(fields), statFields)
	}
	var ticks int64
	for _, i := range []int{statUser, statNice, statSystem, statIRQ, statSoftIRQ} {
		v, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += v
	}
	return float64(ticks) / ticksPerSecond, nil
}

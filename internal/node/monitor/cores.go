// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"errors"
	"io"
	"strings"

	"zfsbench.io/operator/internal/node/series"
	"zfsbench.io/operator/internal/text/lines"
)

// parseCores reads /proc/stat: all CPUs together, and each by itself.
func parseCores(r io.Reader) (series.CPU, error) {
	var cpu series.CPU
	found := false
	for line, err := range lines.All(r) {
		if err != nil {
			return series.CPU{}, err
		}
		if !strings.HasPrefix(line, "cpu") {
			break // the lines of CPUs come first, and the rest is long
		}
		fields := strings.Fields(line)
		ticks, err := statTicks(fields[1:])
		if err != nil {
			return series.CPU{}, err
		}
		time := series.CPUTime{
			User: ticks[statUser] + ticks[statNice], System: ticks[statSystem], Interrupts: ticks[statIRQ] + ticks[statSoftIRQ],
			IOWait: ticks[statIOWait], Idle: ticks[statIdle], Stolen: ticks[statSteal],
		}
		if fields[0] == "cpu" {
			cpu.All, found = time, true
		} else {
			cpu.Cores = append(cpu.Cores, time)
		}
	}
	if !found {
		return series.CPU{}, errors.New("no line starts with cpu")
	}
	return cpu, nil
}

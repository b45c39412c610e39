// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"strconv"
	"time"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// InRounds combines the consecutive rounds of one workload: it adds up amounts and times, and computes rates from them.
// Everything else is from the last round.
func InRounds(rounds []result.Sample) result.Sample {
	all := rounds[len(rounds)-1]
	var read, write, sync []*result.Operation
	all.Started, all.Others, all.Monitors = rounds[0].Started, othersOf(rounds), result.MonitorsInRounds(rounds)
	all.RuntimeNanoseconds, all.ToolCPUSeconds, all.NodeCPUSeconds = 0, 0, 0
	all.DeviceReadBytes, all.DeviceWrittenBytes, all.DeviceReads, all.DeviceWrites = 0, 0, 0, 0
	all.DirectReadBytes, all.DirectWrittenBytes = 0, 0
	for _, r := range rounds {
		read, write, sync = append(read, r.Read), append(write, r.Write), append(sync, r.Sync)
		all.RuntimeNanoseconds += r.RuntimeNanoseconds
		all.ToolCPUSeconds += r.ToolCPUSeconds
		all.NodeCPUSeconds += r.NodeCPUSeconds
		all.DeviceReadBytes += r.DeviceReadBytes
		all.DeviceWrittenBytes += r.DeviceWrittenBytes
		all.DeviceReads += r.DeviceReads
		all.DeviceWrites += r.DeviceWrites
		all.DirectReadBytes += r.DirectReadBytes
		all.DirectWrittenBytes += r.DirectWrittenBytes
	}
	all.Read, all.Write, all.Sync = inTurn(read), inTurn(write), inTurn(sync)
	return all
}

// inTurn adds up operations that ran one after the other; nil for none.
func inTurn(operations []*result.Operation) *result.Operation {
	var all result.Operation
	var latencies []result.Latency
	for _, o := range operations {
		if o == nil {
			continue
		}
		all.Bytes += o.Bytes
		all.IOs += o.IOs
		all.RuntimeNanoseconds += o.RuntimeNanoseconds
		latencies = append(latencies, o.Latency)
	}
	if len(latencies) == 0 {
		return nil
	}
	all.Latency = stats.MergeLatencies(latencies)
	if all.RuntimeNanoseconds > 0 {
		seconds := float64(all.RuntimeNanoseconds) / float64(time.Second)
		all.BandwidthBytesPerSecond, all.IOPS = float64(all.Bytes)/seconds, float64(all.IOs)/seconds
	}
	return &all
}

// othersOf adds up what the node did for others; nil if that is not known of each round.
func othersOf(rounds []result.Sample) *result.Others {
	var all result.Others
	for _, r := range rounds {
		if r.Others == nil {
			return nil
		}
		all.ElapsedSeconds += r.Others.ElapsedSeconds
		all.CPUSeconds += r.Others.CPUSeconds
		all.StolenCPUSeconds += r.Others.StolenCPUSeconds
		all.CapacityCPUSeconds += r.Others.CapacityCPUSeconds
		all.DiskBytes += r.Others.DiskBytes
	}
	return &all
}

// IOPS is the IOPS of a sample, reads and writes together, rounded to six digits because a document holds many rounds.
func IOPS(s result.Sample) float64 {
	var all float64
	for _, o := range []*result.Operation{s.Read, s.Write} {
		if o != nil {
			all += o.IOPS
		}
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(all, 'g', 6, 64), 64)
	if err != nil {
		return all
	}
	return rounded
}

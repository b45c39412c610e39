// SPDX-License-Identifier: Apache-2.0

package monitor

import "errors"

// Others is work of a node since boot that was not part of the benchmark.
type Others struct {
	// CPUSeconds is the time of all processes except this one, its ended children and the kernel's threads.
	CPUSeconds float64
	// StolenSeconds is the time of the node's CPUs that a hypervisor gave to others, CapacitySeconds all of their time.
	StolenSeconds, CapacitySeconds float64
	// DiskBytes is what disks outside of the benchmark have read and written.
	DiskBytes int64
}

// Sub returns what was added since an earlier reading, never less than zero: counts get lost when a parent ignores the
// exit of its children, or when a disk is unplugged.
func (o Others) Sub(earlier Others) Others {
	return Others{
		CPUSeconds:      max(0, o.CPUSeconds-earlier.CPUSeconds),
		StolenSeconds:   max(0, o.StolenSeconds-earlier.StolenSeconds),
		CapacitySeconds: max(0, o.CapacitySeconds-earlier.CapacitySeconds),
		DiskBytes:       max(0, o.DiskBytes-earlier.DiskBytes),
	}
}

// Others reads a small file for each process and kernel thread. used are the block devices of the benchmark:
// partitions, disks, or the device that contains a file.
func (n Kernel) Others(used []DeviceNumber) (Others, error) {
	cpu, errCPU := parseFile(n.proc("stat"), parseCPUTimes)
	seconds, errProcesses := n.processSeconds()
	bytes, errDisks := n.otherDiskBytes(used)
	return Others{CPUSeconds: seconds, StolenSeconds: cpu.stolen, CapacitySeconds: cpu.capacity, DiskBytes: bytes},
		errors.Join(errCPU, errProcesses, errDisks)
}

// SPDX-License-Identifier: Apache-2.0

// Package runner executes a plan on the node it runs on: preflight, devices, targets of workloads, workloads, results,
// teardown. One engine serves the Job, the cleanup Job and the command line; they differ in where results go. Engine
// has the order of steps and the journal; package target has what differs between pools, claimed volumes, filesystems,
// raw devices and md arrays.
//
// Safety depends on the order of the steps. What the benchmark is about to own is recorded on the node and at the sink
// before anything is written to a device. A trial's result is recorded before its pool is destroyed. The ownership
// record is cleared after everything in it is gone. So whenever a runner is killed, the next one knows what is done and
// what is left over.
package runner

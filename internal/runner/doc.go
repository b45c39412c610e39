// SPDX-License-Identifier: Apache-2.0

// Package runner executes a plan on the node it runs on: preflight, devices, pool, dataset, workloads, results,
// destroy. One engine serves the Job, the clean-up Job and the command line; they differ in where results go. Engine
// has the order of things; host has what every kind of storage (pool, claim, filesystem, raw device, md array) uses.
//
// The order of things is the safety of the package. What the benchmark is about to own is recorded on the node and at
// the sink before anything is written to a device; a trial's result is recorded before its pool is destroyed; ownership
// is cleared after the last of it is gone. So whenever a runner is killed, the next one knows what is done and what is
// left over.
package runner

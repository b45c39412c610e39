// SPDX-License-Identifier: Apache-2.0

// Package controllers turns ZfsBenchmarks into runs on nodes. One reconcile looks at all existing objects of a
// benchmark, decides in pure functions what to do on each of its nodes, does it, and writes status once. All state is
// in objects: a restarted manager continues where the last one stopped.
package controllers

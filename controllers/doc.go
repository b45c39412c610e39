// SPDX-License-Identifier: Apache-2.0

// Package controllers turns ZfsBenchmarks into runs on nodes. One reconcile looks at everything that exists of a
// benchmark, decides in pure functions what is to be done on each of its nodes, does it, and writes status once.
// Nothing is remembered but what objects say: a restarted manager goes on where the last one stopped.
package controllers

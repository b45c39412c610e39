// SPDX-License-Identifier: Apache-2.0

// Package toolrun runs a workload's tool in the sandbox, with the files and images that it needs, and reads its report.
// It must not know what kind of target the tool runs on, nor which trial comes next.
package toolrun

// SPDX-License-Identifier: Apache-2.0

// Package preset knows workloads of fio by name. It is pure.
package preset

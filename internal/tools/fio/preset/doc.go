// SPDX-License-Identifier: Apache-2.0

// Package preset has fio workloads by name. It is pure.
package preset

// SPDX-License-Identifier: Apache-2.0

// Package durable writes small files that survive a crash and a power cut.
package durable

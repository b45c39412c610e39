// SPDX-License-Identifier: Apache-2.0

// Package fio writes fio's job files and reads what fio reports. It is pure: running fio is the sandbox's work.
package fio

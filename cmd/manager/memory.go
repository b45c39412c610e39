// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"runtime/debug"
	"strconv"
)

// memoryVariable is the environment variable with the memory limit of the container, in bytes.
const memoryVariable = "ZFSBENCH_MEMORY_LIMIT"

// memoryShare is the part of it that the Go runtime may use: the kernel counts the program itself and its stacks, too.
const memoryShare = 0.85

// limitMemory makes the garbage collector work harder before the container reaches its limit. GOMEMLIMIT, which the Go
// runtime reads itself, takes precedence.
func limitMemory(getenv func(string) string) error {
	text := getenv(memoryVariable)
	if text == "" || getenv("GOMEMLIMIT") != "" {
		return nil
	}
	limit, err := strconv.ParseInt(text, 10, 64)
	if err != nil || limit <= 0 {
		return fmt.Errorf("%s is %q, it must be a number of bytes", memoryVariable, text)
	}
	debug.SetMemoryLimit(int64(memoryShare * float64(limit)))
	return nil
}

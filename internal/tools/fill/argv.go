// SPDX-License-Identifier: Apache-2.0

package fill

import (
	"fmt"

	"zfsbench.io/operator/internal/tools/builtin"
)

// Subcommand is the runner's hidden subcommand that writes the files.
const Subcommand = "fill"

// Directory is the directory of the files, below the workloads' directory. No workload can have this name.
const Directory = "fill.files"

// Round is one run of the program: it writes files with Bytes in all, or overwrites as much of the existing ones.
type Round struct {
	Bytes     int64
	Overwrite bool
	// Number is the round's number in the workload, so that no two rounds write the same data.
	Number int
}

// Argv is the command that does a round in a directory and writes its report to a file, both absolute paths.
func Argv(r Round, directory, report string, seed uint64) []string {
	argv := []string{
		builtin.Program, Subcommand, "--directory=" + directory, "--report=" + report, fmt.Sprintf("--bytes=%d", r.Bytes),
		fmt.Sprintf("--seed=%d", seed), fmt.Sprintf("--round=%d", r.Number),
	}
	if r.Overwrite {
		argv = append(argv, "--overwrite")
	}
	return argv
}

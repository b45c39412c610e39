// SPDX-License-Identifier: Apache-2.0

package dbench

import (
	"fmt"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
)

// Argv is the command that measures a workload in a directory, with the load file that comes with dbench.
func Argv(w v1alpha1.DbenchWorkload, directory string) []string {
	argv := []string{"dbench", "-D", directory, "-t", fmt.Sprint(int64(w.RunTime() / time.Second))}
	argv = tools.Words(argv, tools.Option{Set: w.SyncOpen, Word: "-s"}, tools.Option{Set: w.SyncDirectories, Word: "-S"},
		tools.Option{Set: w.Fsync, Word: "-F"})
	return append(argv, fmt.Sprint(Clients(w)))
}

// Clients is how many there are.
func Clients(w v1alpha1.DbenchWorkload) int { return max(1, int(w.Clients)) }

// Tasks is how many processes it starts.
func Tasks(w v1alpha1.DbenchWorkload) int { return 1 + Clients(w) }

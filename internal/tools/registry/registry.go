// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/bonnie"
	"zfsbench.io/operator/internal/tools/corpus"
	"zfsbench.io/operator/internal/tools/dbench"
	"zfsbench.io/operator/internal/tools/fio"
	"zfsbench.io/operator/internal/tools/fsmark"
	"zfsbench.io/operator/internal/tools/iozone"
	"zfsbench.io/operator/internal/tools/pgbench"
	"zfsbench.io/operator/internal/tools/script"
	"zfsbench.io/operator/internal/tools/streams"
	"zfsbench.io/operator/internal/tools/tree"
	"zfsbench.io/operator/internal/tools/treecopy"
)

// all has one function per tool. It returns the tool of a workload that uses it, and nil for others.
var all = []func(v1alpha1.Workload) tools.Tool{
	fio.Of, bonnie.Of, tree.Of, iozone.Of, fsmark.Of, dbench.Of, pgbench.Of, streams.Of, treecopy.Of, corpus.Of, script.Of,
}

// Of returns the tool of a workload; nil for an operation on the pool.
func Of(w v1alpha1.Workload) tools.Tool {
	for _, of := range all {
		if tool := of(w); tool != nil {
			return tool
		}
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package iozone

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools"
)

// Describe names the tests.
func (t Tool) Describe() string {
	file := "a file of " + human.Bytes(float64(t.Size.Value()))
	if t.Threads > 1 {
		file = fmt.Sprintf("%d threads with %s each", t.Threads, file)
	}
	parts := []string{"iozone", file, "records of " + human.Bytes(float64(t.RecordBytes())),
		strings.Join(tools.List(t.AllTests()), ", ")}
	return strings.Join(tools.Words(parts,
		tools.Option{Set: t.IncludeFlush, Word: "flush included"},
		tools.Option{Set: t.IncludeClose, Word: "close included"},
		tools.Option{Set: t.Sync, Word: "o_sync"},
		tools.Option{Set: t.Direct, Word: "direct"},
		tools.Option{Set: t.RandomData, Word: "random data"}), ", ")
}

// Options returns the command line.
func (t Tool) Options() map[string]string { return tools.Command(Argv(t.IozoneWorkload, "")) }

// Synchronous says whether files are opened with O_SYNC.
func (t Tool) Synchronous() bool { return t.Sync }

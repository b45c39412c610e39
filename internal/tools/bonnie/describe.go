// SPDX-License-Identifier: Apache-2.0

package bonnie

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools"
)

// Describe names the tests.
func (t Tool) Describe() string {
	var parts []string
	if t.Size != nil {
		parts = append(parts, "throughput with "+human.Bytes(float64(t.Size.Value())))
	}
	if f := t.Files; f != nil {
		parts = append(parts, fmt.Sprintf("%d × 1024 files of %d to %d bytes in %s",
			f.Count, f.MinSize, f.MaxSize, human.Plural(max(1, int(f.Directories)), "directory")))
	}
	parts = tools.Words(parts,
		tools.Option{Set: t.ChunkSize > 0, Word: fmt.Sprintf("chunks of %d bytes", t.ChunkSize)},
		tools.Option{Set: t.Fast, Word: "without single characters"},
		tools.Option{Set: t.Fsync, Word: "fsync after every write"},
		tools.Option{Set: t.Direct, Word: "direct"})
	return "bonnie++, " + strings.Join(parts, ", ")
}

// Options returns the command line.
func (t Tool) Options() map[string]string { return tools.Command(Argv(t.BonnieWorkload, "", 0)) }

// Synchronous says whether there is an fsync after every write.
func (t Tool) Synchronous() bool { return t.Fsync }

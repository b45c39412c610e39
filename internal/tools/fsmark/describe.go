// SPDX-License-Identifier: Apache-2.0

package fsmark

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools"
)

// Describe names the files.
func (t Tool) Describe() string {
	w := t.WithDefaults()
	files := fmt.Sprintf("%s of %s", human.Plural(int(w.Files), "file"), human.Bytes(float64(w.FileSize.Value())))
	if w.Threads > 1 {
		files += fmt.Sprintf(" for each of %d threads", w.Threads)
	}
	parts := []string{"fs_mark", files, fmt.Sprintf("writes of %d bytes", w.WriteSize), "sync " + string(w.Sync)}
	return strings.Join(tools.Words(parts,
		tools.Option{Set: w.Directories > 1, Word: human.Plural(int(w.Directories), "directory")},
		tools.Option{Set: w.Subdirectories > 0, Word: fmt.Sprintf("%d subdirectories", w.Subdirectories)}), ", ")
}

// Options returns the command line.
func (t Tool) Options() map[string]string { return tools.Command(Argv(t.FsmarkWorkload, "", "")) }

// Synchronous says whether files are synced, one by one or all at once.
func (t Tool) Synchronous() bool { return t.Sync != v1alpha1.FsmarkSyncNone }

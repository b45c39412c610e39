// SPDX-License-Identifier: Apache-2.0

package dbench

import (
	"strings"

	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools"
)

// Describe names the clients.
func (t Tool) Describe() string {
	parts := []string{"dbench", human.Plural(Clients(t.DbenchWorkload), "client"), "for " + t.RunTime().String()}
	return strings.Join(tools.Words(parts,
		tools.Option{Set: t.SyncOpen, Word: "files opened with O_SYNC"},
		tools.Option{Set: t.SyncDirectories, Word: "directories synced"},
		tools.Option{Set: t.Fsync, Word: "fsync after every write"}), ", ")
}

// Options returns the command line.
func (t Tool) Options() map[string]string { return tools.Command(Argv(t.DbenchWorkload, "")) }

// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools"
)

// String describes the tree in words.
func (s Shape) String() string {
	text := fmt.Sprintf("tree of %s and %s", human.Plural(int(s.DirectoryCount()), "directory"),
		human.Plural(int(s.FileCount()), "file"))
	if s.FileCount() > 0 {
		text += " of " + human.Bytes(float64(s.FileBytes))
	}
	return text
}

// Describe names the shape and the phases.
func (t Tool) Describe() string {
	text := ShapeOf(t.TreeWorkload).String()
	if n := Workers(t.TreeWorkload); n > 1 {
		text += fmt.Sprintf(" for each of %d workers", n)
	}
	text += ", " + strings.Join(tools.List(t.AllPhases()), ", ")
	if t.MaxTime != nil {
		text += fmt.Sprintf(", each for at most %s", t.MaxTime.Duration)
	}
	if t.Fsync {
		text += ", fsync of each file"
	}
	return text
}

// Options returns the command line.
func (t Tool) Options() map[string]string {
	return tools.Command(Argv(t.TreeWorkload, "", "", 0, false))
}

// Synchronous says whether there is an fsync of each file.
func (t Tool) Synchronous() bool { return t.Fsync }

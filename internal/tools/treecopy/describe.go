// SPDX-License-Identifier: Apache-2.0

package treecopy

import (
	"fmt"

	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/tree"
)

// Describe names tool and tree.
func (t Tool) Describe() string {
	text := fmt.Sprintf("%s -a of a %s", t.CopyWorkload.Tool, tree.ShapeOf(t.Source()))
	if t.MaxTime != nil {
		text += fmt.Sprintf(", for at most %s", t.MaxTime.Duration)
	}
	return text
}

// Options returns the command line.
func (t Tool) Options() map[string]string { return tools.Command(Argv(t.CopyWorkload, "", "")) }

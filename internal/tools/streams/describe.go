// SPDX-License-Identifier: Apache-2.0

package streams

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools"
)

// Describe names counts and phases.
func (t Tool) Describe() string {
	return fmt.Sprintf("%s sequential streams at once, %s for each, blocks of %s, %s",
		strings.Join(tools.List(t.AllCounts()), ", "),
		human.Bytes(float64(t.Size.Value())), human.Bytes(float64(t.BlockBytes())),
		strings.Join(tools.List(t.AllPhases()), ", "))
}

// Options returns the command line.
func (t Tool) Options() map[string]string {
	return tools.Command(Argv(t.StreamsWorkload, "", "", 0, false))
}

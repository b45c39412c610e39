// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools"
)

// from names the source of a copied corpus.
func (t Tool) from() string {
	if t.PersistentVolumeClaim != nil {
		return "PersistentVolumeClaim " + t.PersistentVolumeClaim.ClaimName
	}
	return "image " + string(t.Image.Image)
}

// Describe names the parts, or the source of a copied corpus.
func (t Tool) Describe() string {
	if path, limit, copied := t.Copied(); copied {
		return fmt.Sprintf("corpus copied from %s of the %s, at most %s", path, t.from(), human.Bytes(float64(limit)))
	}
	parts := make([]string, 0, len(t.Parts))
	for _, p := range PartsOf(t.CorpusWorkload) {
		part := fmt.Sprintf("%s of %s", human.Bytes(float64(p.Bytes)), p.Content)
		if p.Copies > 1 {
			part += fmt.Sprintf(", each file %d times", p.Copies)
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("corpus of %s; files of %s, seed %d", strings.Join(parts, "; "),
		human.Bytes(float64(t.FileBytes())), t.Seed)
}

// Options returns the command line.
func (t Tool) Options() map[string]string { return tools.Command(Argv(t.CorpusWorkload, "", "", "")) }

// HasOwnData is true: measuring how well its data compress is the purpose of a corpus.
func (Tool) HasOwnData() bool { return true }

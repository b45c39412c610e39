// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools/corpus"
	"zfsbench.io/operator/internal/tools/tree"
)

func describeStreams(w v1alpha1.StreamsWorkload) string {
	counts := make([]string, 0, len(w.AllCounts()))
	for _, n := range w.AllCounts() {
		counts = append(counts, fmt.Sprint(n))
	}
	phases := make([]string, 0, len(w.AllPhases()))
	for _, p := range w.AllPhases() {
		phases = append(phases, string(p))
	}
	return fmt.Sprintf("%s sequential streams at once, %s for each, blocks of %s, %s",
		strings.Join(counts, ", "), human.Bytes(float64(w.Size.Value())), human.Bytes(float64(w.BlockBytes())), strings.Join(phases, ", "))
}

func describeCopy(w v1alpha1.CopyWorkload) string {
	text := fmt.Sprintf("%s -a of a %s", w.Tool, describeShape(tree.ShapeOf(w.Source())))
	if w.MaxTime != nil {
		text += fmt.Sprintf(", for at most %s", w.MaxTime.Duration)
	}
	return text
}

// corpusSource is what a corpus is copied from.
func corpusSource(w v1alpha1.CorpusWorkload) string {
	if w.PersistentVolumeClaim != nil {
		return "PersistentVolumeClaim " + w.PersistentVolumeClaim.ClaimName
	}
	return "image " + string(w.Image.Image)
}

func describeCorpus(w v1alpha1.CorpusWorkload) string {
	if path, limit, copied := w.Copied(); copied {
		return fmt.Sprintf("corpus copied from %s of the %s, at most %s", path, corpusSource(w), human.Bytes(float64(limit)))
	}
	parts := make([]string, 0, len(w.Parts))
	for _, p := range corpus.PartsOf(w) {
		part := fmt.Sprintf("%s of %s", human.Bytes(float64(p.Bytes)), p.Content)
		if p.Copies > 1 {
			part += fmt.Sprintf(", each file %d times", p.Copies)
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("corpus of %s; files of %s, seed %d", strings.Join(parts, "; "), human.Bytes(float64(w.FileBytes())), w.Seed)
}

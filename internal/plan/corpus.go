// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/corpus"
)

// copiedFileBytes is how large the files of a corpus are taken for of which nothing is known but how much they may be.
const copiedFileBytes = 32 << 10

// corpusFiles is how many there are.
func corpusFiles(w v1alpha1.CorpusWorkload) float64 {
	if _, limit, copied := w.Copied(); copied {
		return float64(limit) / copiedFileBytes
	}
	return float64(corpus.Files(w))
}

// corpusBytes counts all copies: what deduplication wins is not known before.
func corpusBytes(w v1alpha1.CorpusWorkload) float64 {
	return float64(corpus.Bytes(w)) + corpusFiles(w)*inodeBytes
}

// estimateCorpus counts making the files.
func estimateCorpus(w v1alpha1.CorpusWorkload) time.Duration {
	return min(atRate(corpusFiles(w), slowInodesPerSecond)+atRate(float64(corpus.Bytes(w)), slowBytesPerSecond), maxTimeout)
}

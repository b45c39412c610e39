// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/corpus"
)

// corpusBytes counts all copies: what deduplication wins is not known before.
func corpusBytes(w v1alpha1.CorpusWorkload) float64 {
	return float64(corpus.Bytes(w)) + float64(corpus.Files(w))*inodeBytes
}

// estimateCorpus counts making the files.
func estimateCorpus(w v1alpha1.CorpusWorkload) time.Duration {
	return min(atRate(float64(corpus.Files(w)), slowInodesPerSecond)+atRate(float64(corpus.Bytes(w)), slowBytesPerSecond), maxTimeout)
}

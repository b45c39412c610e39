// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"time"

	"zfsbench.io/operator/internal/tools"
)

// copiedFileBytes is the size that estimates assume for the files of a corpus of which only the size as a whole is
// known.
const copiedFileBytes = 32 << 10

// files is the number of files, estimated for a copied corpus.
func (t Tool) files() float64 {
	if _, limit, copied := t.Copied(); copied {
		return float64(limit) / copiedFileBytes
	}
	return float64(Files(t.CorpusWorkload))
}

// Bytes counts all copies: what deduplication saves is not known in advance.
func (t Tool) Bytes() float64 { return float64(Bytes(t.CorpusWorkload)) + t.files()*tools.InodeBytes }

// SmallestFile is the size of each file.
func (t Tool) SmallestFile() int64 { return t.FileBytes() }

// Duration counts making the files.
func (t Tool) Duration() time.Duration {
	inodes, data := tools.AtRate(t.files(), tools.SlowInodesPerSecond),
		tools.AtRate(float64(Bytes(t.CorpusWorkload)), tools.SlowBytesPerSecond)
	return min(inodes+data, tools.MaxDuration)
}

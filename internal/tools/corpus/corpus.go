// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"fmt"
	"strconv"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/builtin"
)

// Subcommand is the runner's hidden subcommand that makes a corpus.
const Subcommand = "corpus"

// Part is data of one kind.
type Part struct {
	Content v1alpha1.CorpusContent
	// Bytes is the size of all its files, copies included.
	Bytes int64
	// Copies is how often each file occurs.
	Copies int64
}

// PartsOf are the parts of a workload.
func PartsOf(w v1alpha1.CorpusWorkload) []Part {
	parts := make([]Part, 0, len(w.Parts))
	for _, p := range w.Parts {
		parts = append(parts, Part{p.Content, p.Size.Value(), max(1, int64(p.Copies))})
	}
	return parts
}

// Files is the number of a part's files, copies included.
func (p Part) Files(fileBytes int64) int64 { return (p.Bytes + fileBytes - 1) / fileBytes }

// Distinct is the number of a part's files, copies not included.
func (p Part) Distinct(fileBytes int64) int64 { return (p.Files(fileBytes) + p.Copies - 1) / p.Copies }

// String is the part in the form that ParsePart reads.
func (p Part) String() string { return fmt.Sprintf("%s:%d:%d", p.Content, p.Bytes, p.Copies) }

// ParsePart reads what String writes.
func ParsePart(text string) (Part, error) {
	content, numbers, _ := strings.Cut(text, ":")
	bytes, copies, _ := strings.Cut(numbers, ":")
	p := Part{Content: v1alpha1.CorpusContent(content)}
	var err, err2 error
	p.Bytes, err = strconv.ParseInt(bytes, 10, 64)
	p.Copies, err2 = strconv.ParseInt(copies, 10, 32)
	if err != nil || err2 != nil || p.Bytes < 1 || p.Copies < 1 {
		return Part{}, fmt.Errorf("part %q is not a kind of data, bytes and copies, as Text:1048576:1", text)
	}
	return p, nil
}

// Files is the number of files of a whole corpus; 0 for a copied one, where it is not known.
func Files(w v1alpha1.CorpusWorkload) int64 {
	var all int64
	for _, p := range PartsOf(w) {
		all += p.Files(w.FileBytes())
	}
	return all
}

// Bytes is the size of a whole corpus; for a copied one, the most that it may have.
func Bytes(w v1alpha1.CorpusWorkload) int64 {
	if _, limit, copied := w.Copied(); copied {
		return limit
	}
	var all int64
	for _, p := range PartsOf(w) {
		all += p.Bytes
	}
	return all
}

// Argv is the command that makes a corpus in a directory and writes its report to a file. A copied corpus comes from a
// path below source. All paths are absolute.
func Argv(w v1alpha1.CorpusWorkload, directory, source, report string) []string {
	if path, limit, copied := w.Copied(); copied {
		return []string{
			builtin.Program, Subcommand, "--directory=" + directory, "--report=" + report, "--source=" + source, "--path=" +
				path, fmt.Sprintf("--limit=%d", limit),
		}
	}
	return []string{
		builtin.Program, Subcommand, "--directory=" + directory, "--report=" + report, "--parts=" +
			strings.Join(tools.List(PartsOf(w)), ","), fmt.Sprintf("--file-size=%d", w.FileBytes()),
		fmt.Sprintf("--seed=%d", w.Seed),
	}
}

// ListBytes is room for the list of files of a corpus that is copied.
const ListBytes = 512 << 20

// BufferBytes is how much data is made before it is written, in blocks of BlockBytes.
const (
	BlockBytes  = 1 << 20
	BufferBytes = 8 * BlockBytes
)

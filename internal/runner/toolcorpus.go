// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/tools/corpus"
)

// corpusTool is the runner's own, for a corpus of files. Its data depends on the workload alone, not on the trial, if nobody changes the image or the volume that it may come from.
type corpusTool struct {
	builtinTool
	v1alpha1.CorpusWorkload
}

func newCorpusTool(workload string, w v1alpha1.CorpusWorkload) corpusTool {
	return corpusTool{builtinTool{corpus.Subcommand, workload}, w}
}

// probe also wants where the data comes from.
func (t corpusTool) probe() probe {
	p := t.builtinTool.probe()
	p.source = sourceOf(t.CorpusWorkload)
	return p
}

func (corpusTool) needsLayout() bool { return false }

func (t corpusTool) start(on place) (start, error) {
	s := start{
		argv: corpus.Argv(t.CorpusWorkload, t.directory(on), sandbox.SourceDir, sandbox.OutputDir+"/"+reportName), self: true,
		limits: sandbox.Limits{Tasks: threads, DataBytes: corpus.BufferBytes}, source: sourceOf(t.CorpusWorkload),
	}
	if _, _, copied := t.Copied(); copied {
		s.limits.DataBytes += corpus.ListBytes
	}
	return s, nil
}

// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
)

// FuzzBuild puts a text that a node may send into every place of a report where texts of nodes go: the tables keep
// their columns, nothing becomes HTML, a link or an image, no cell of the CSV is a formula, and no terminal obeys.
func FuzzBuild(f *testing.F) {
	for _, evil := range []string{
		"fio-3.39", "a|b", `a\|b`, "<script>alert(1)</script>", "![x](http://evil/x.png)", "[click](javascript:alert(1))",
		"=cmd|' /C calc'!A0",
		"+1+1", "@SUM(1)", " =1+1", "＝1+1", "\x1b[2J\x1b]0;owned\a", "a\r\n# b", "`rm`", "\u202egpj", "\xff\xfe", "\"a\",=b",
		"-1", "---",
	} {
		f.Add(evil)
	}
	captured := capturedInput(f)
	f.Fuzz(func(t *testing.T, text string) {
		in := captured
		in.Nodes = []model.NodeResults{{Name: "storage-0", Plan: captured.Nodes[0].Plan,
			PlanDigest: captured.Nodes[0].PlanDigest, Planned: 2, Facts: hostileFacts(t, captured, text)}}
		for _, trial := range []result.Trial{captured.Nodes[0].Trials[0], captured.Nodes[0].Trials[3]} {
			in.Nodes[0].Trials = append(in.Nodes[0].Trials, hostileTrial(t, trial, text))
		}
		out := build(t, in)
		checkMarkdown(t, out.Markdown)
		checkCSV(t, out.CSV)
	})
}

// hostileFacts and hostileTrial go through the documents, as what a node sends does.
func hostileFacts(t *testing.T, in model.Input, text string) *result.NodeFacts {
	t.Helper()
	facts := *in.Nodes[0].Facts
	facts.OpenZFSUserland, facts.OpenZFSModule, facts.Kernel, facts.OS, facts.CPUModel = text, text, text, text, text
	data, err := result.EncodeProgress(result.Progress{
		Version: result.Version, PlanDigest: in.Nodes[0].PlanDigest, State: result.StateRunning, Node: &facts,
	})
	if err != nil {
		t.Fatal(err)
	}
	progress, err := result.DecodeProgress(data)
	if err != nil {
		t.Fatal(err)
	}
	return progress.Node
}

func hostileTrial(t *testing.T, trial result.Trial, text string) result.Trial {
	t.Helper()
	trial = model.CopyTrials([]result.Trial{trial})[0]
	if trial.Failure != nil {
		trial.Failure = &result.Failure{Reason: trial.Failure.Reason, Message: text, Tail: text}
	}
	trial.Excluded = []result.Attempt{{
		Failure:    result.Failure{Reason: "WorkloadFailed", Message: text, Tail: text},
		Bandwidths: []result.Bandwidth{{Workload: text, ReadBytesPerSecond: 1}},
	}}
	for i := range trial.Samples {
		s := &trial.Samples[i]
		s.ToolVersion, s.JobFile, s.Argv = text, text, []string{text}
		s.Pool.Health, s.Pool.DatasetProperties = text, map[string]string{"compression": text}
	}
	data, err := result.EncodeTrial(trial)
	if err != nil {
		t.Fatal(err)
	}
	back, err := result.DecodeTrial(data, len(trial.Samples))
	if err != nil {
		t.Fatal(err)
	}
	return back
}

var (
	escaped = regexp.MustCompile(`\\[\\|<\[` + "`" + `]`)
	active  = regexp.MustCompile(`[<\[` + "`" + `]`)
)

func checkMarkdown(t *testing.T, page []byte) {
	t.Helper()
	columns := 0
	for line := range strings.SplitSeq(string(page), "\n") {
		if strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }) {
			t.Fatalf("not printable: %q", line)
		}
		if strings.HasPrefix(line, "    ") {
			continue // code
		}
		plain := escaped.ReplaceAllString(line, "")
		if active.MatchString(plain) {
			t.Fatalf("markup: %q", line)
		}
		pipes := strings.Count(plain, "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			columns = 0
		case columns == 0:
			columns = pipes
		case pipes != columns:
			t.Fatalf("a row of another width: %q", line)
		}
	}
}

func checkCSV(t *testing.T, data []byte) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if _, err := strconv.ParseFloat(cell, 64); err == nil {
				continue
			}
			if trimmed := strings.TrimSpace(cell); trimmed != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(trimmed)[0]) {
				t.Fatalf("a formula: %q", cell)
			}
		}
	}
}

// TestUnhealthyPoolsAreCounted proves that the page does not grow with the number of pools that were not ONLINE.
func TestUnhealthyPoolsAreCounted(t *testing.T) {
	in := capturedInput(t)
	trial := in.Nodes[0].Trials[0]
	in.Nodes[0].Trials = nil
	for i := range 30 {
		each := model.CopyTrials([]result.Trial{trial})[0]
		each.Index, each.Samples = i, each.Samples[:1]
		each.Samples[0].Pool.Health = "DEGRADED"
		in.Nodes[0].Trials = append(in.Nodes[0].Trials, each)
	}
	page := string(build(t, in).Markdown)
	if got := strings.Count(page, "the pool was DEGRADED"); got != 20 ||
		!strings.Contains(page, "not ONLINE after 10 workloads more") {
		t.Errorf("%d pools are told of in:\n%s", got, page)
	}
}

// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"strings"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

// isDryRun says whether there are only preflights to report.
func (m *page) isDryRun() bool { return m.Spec.DryRun }

// preflights shows a preflight in full if there is nothing else, or if it stopped the benchmark; otherwise only its
// warnings.
func (m *page) preflights() {
	for _, n := range m.Nodes {
		found := n.Preflight
		if found == nil {
			continue
		}
		warnings := found.ChecksThat(result.OutcomeWarning)
		switch {
		case m.isDryRun() || !found.Passed:
			m.printf("\n## Preflight of %s\n\n%s Nothing was written to any device.\n", n.Name, outcomeOf(*found))
			m.devices(found.Devices)
			m.problems(*found)
			m.passed(*found)
			m.estimate(found.Estimate)
		case len(warnings) > 0:
			m.printf("\n## Preflight of %s\n\n%s\n", n.Name, outcomeOf(*found))
			m.problems(*found)
		}
	}
}

// outcomeOf is a preflight in one sentence.
func outcomeOf(found result.Preflight) string {
	remarks := []string{fmt.Sprintf("%d of %s usable", len(found.Devices)-len(found.Refused()),
		human.Plural(len(found.Devices), "device"))}
	for _, count := range []struct {
		outcome, word string
	}{{result.OutcomeFailed, "failed check"}, {result.OutcomeWarning, "warning"}} {
		if n := len(found.ChecksThat(count.outcome)); n > 0 {
			remarks = append(remarks, human.Plural(n, count.word))
		}
	}
	outcome := "passed"
	if !found.Passed {
		outcome = "did not pass"
	}
	return fmt.Sprintf("The preflight %s: %s.", outcome, strings.Join(remarks, ", "))
}

// devices says which disk each device is, and which check refused it. The causes follow below, because they would make
// the table too wide.
func (m *page) devices(devices []result.DeviceReport) {
	if len(devices) == 0 {
		return
	}
	rows := newTable("Device", "Usable", "Refused by", "Kernel", ">Size", "Serial", "Model", "Path")
	for _, d := range devices {
		usable, path := "yes", d.Path
		if !d.Usable {
			usable = "no"
		}
		if path == "" {
			path = "a file in the scratch directory"
		}
		rows.add(d.Name, usable, dash(d.Step), dash(d.Kernel), human.Bytes(float64(d.SizeBytes)), dash(d.Serial),
			dash(d.Model), path)
	}
	m.printf("\n%s", rows)
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// problems are the refusals and all checks that did not pass, the worst first.
func (m *page) problems(found result.Preflight) {
	var lines []string
	for _, d := range found.Refused() {
		lines = append(lines, d.Refusal)
	}
	for _, outcome := range []string{result.OutcomeFailed, result.OutcomeWarning, result.OutcomeSkipped} {
		for _, c := range found.ChecksThat(outcome) {
			lines = append(lines, fmt.Sprintf("%s (%s): %s", outcome, c.Name, c.Message))
		}
	}
	m.list("Problems", lines)
}

func (m *page) passed(found result.Preflight) {
	var lines []string
	for _, c := range found.ChecksThat(result.OutcomePassed) {
		lines = append(lines, fmt.Sprintf("%s: %s", c.Name, c.Message))
	}
	m.list("Checks that passed", lines)
}

// list prints a list under a title, or nothing if the list is empty.
func (m *page) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	m.printf("\n%s:\n\n", title)
	for _, line := range lines {
		m.printf("- %s\n", escape(line))
	}
}

// maxPools is how many pools an estimate shows.
const maxPools = 20

// estimate says how much time and space the benchmark will take.
func (m *page) estimate(e *result.Estimate) {
	if e == nil {
		return
	}
	least := "no workload sets how long it takes"
	if e.LeastSeconds > 0 {
		least = "at least " + seconds(e.LeastSeconds) + ", which the workloads ask for"
	}
	lines := []string{fmt.Sprintf("Time of %s: %s; about %s on slow disks (%s); the limit is %s.",
		human.Plural(e.Trials, "trial"), least, seconds(e.SlowSeconds), plan.SlowDisk, seconds(e.TimeoutSeconds))}
	for _, p := range e.Pools[:min(len(e.Pools), maxPools)] {
		of := ""
		if len(e.Pools) > 1 {
			of = " of variant " + p.Variant
		}
		if p.Baseline != "" {
			on := "partition"
			if p.Baseline == v1alpha1.KindPersistentVolume {
				on = "volume"
			}
			lines = append(lines, fmt.Sprintf("Space on %s%s: the data take up to %s of %s, on a %s of %s.",
				p.Baseline, of, human.Bytes(float64(p.NeededBytes)), human.Bytes(float64(p.UsableBytes)), on,
				human.Bytes(float64(p.DeviceBytes))))
			continue
		}
		lines = append(lines, fmt.Sprintf("Space in the pool%s: the dataset takes up to %s of %s, on data devices of %s "+
			"together.",
			of, human.Bytes(float64(p.NeededBytes)), human.Bytes(float64(p.UsableBytes)), human.Bytes(float64(p.DeviceBytes))))
	}
	if more := max(len(e.Pools)-maxPools, 0) + e.MorePools; more > 0 {
		lines = append(lines, fmt.Sprintf("The check of space has also looked at the pools of %s more.",
			human.Plural(more, "variant")))
	}
	if e.ScratchBytes > 0 {
		lines = append(lines, fmt.Sprintf("Space in the scratch directory: %s for file devices.",
			human.Bytes(float64(e.ScratchBytes))))
	}
	m.list("Estimate", lines)
}

// seconds formats a duration from an untrusted document, limited to what a Duration holds.
func seconds(n int64) string {
	const most = int64(1<<63-1) / int64(time.Second)
	return human.Duration(time.Duration(min(n, most)) * time.Second)
}

// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

// excluded lists the attempts that do not count, and why.
func (m *page) excluded() {
	var lines []string
	for _, a := range m.ExcludedAttempts() {
		lines = append(lines, fmt.Sprintf("- %s, attempt %d: %s: %s%s\n", trialText(a.TrialName), a.Number,
			escape(a.Failure.Reason), escape(a.Failure.Message), hadMeasured(a.Bandwidths)))
	}
	if len(lines) == 0 {
		return
	}
	m.printf("\n## Excluded\n\nThese attempts do not count. Their trials were run again.\n\n%s",
		strings.Join(lines[:min(len(lines), maxFailures)], ""))
	m.more(len(lines)-maxFailures, model.JSONKey)
}

// hadMeasured lists what an attempt had measured when it was excluded.
func hadMeasured(bandwidths []result.Bandwidth) string {
	var words []string
	for _, b := range bandwidths {
		if b.ReadBytesPerSecond > 0 {
			words = append(words, fmt.Sprintf("%s read %s", escape(b.Workload), human.Rate(float64(b.ReadBytesPerSecond))))
		}
		if b.WriteBytesPerSecond > 0 {
			words = append(words, fmt.Sprintf("%s wrote %s", escape(b.Workload), human.Rate(float64(b.WriteBytesPerSecond))))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " It had measured: " + strings.Join(words, ", ") + "."
}

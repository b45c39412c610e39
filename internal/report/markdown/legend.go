// SPDX-License-Identifier: Apache-2.0

package markdown

import "slices"

// legend begins the appendix: what the columns of the result tables mean, and how their numbers are computed.
func (m *page) legend() {
	if len(m.Results) == 0 {
		return
	}
	m.printf("\n## Appendix: how to read the tables\n\n")
	m.note(slices.Concat(m.explained, m.latencyNotes(), m.operationNotes(), m.orderNotes(), m.convergenceNotes(true))...)
}

// explain adds the notes of columns to the legend, each once.
func (m *page) explain(columns []column) {
	for _, c := range columns {
		for _, note := range c.notes {
			if !slices.Contains(m.explained, note) {
				m.explained = append(m.explained, note)
			}
		}
	}
}

// operationNotes explain rates of workloads with several jobs or phases.
func (m *page) operationNotes() []string {
	var lines []string
	if m.haveJobs() {
		lines = append(lines, "Read and write are of all jobs of a workload together, from the start of the first until "+
			"the end of the last; clientRead would be of its job client alone. CPU is of the whole workload.")
	}
	if m.havePhases() {
		lines = append(lines, "Rates of operations that move no bytes are operations per second: directories, files, "+
			"seeks. CPU is of the whole workload.")
	}
	return lines
}

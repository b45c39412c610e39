// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"slices"
	"strconv"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// ratioTable says how much less than its data each variant stores.
func (m *page) ratioTable() {
	if len(m.Ratios) == 0 {
		return
	}
	out := newTable(append(m.whereTitles(), ">Data", ">Referenced", ">Compressed", ">Least", ">Most", ">Deduplicated")...)
	for _, r := range m.Ratios[:min(len(m.Ratios), maxRows)] {
		out.add(append(m.where(model.Work{Workload: r.Workload, Variant: r.Variant, Node: r.Node}), human.Bytes(r.DataBytes), human.Bytes(r.ReferencedBytes),
			ratioText(r.Compressed), ratioText(r.LeastCompressed), ratioText(r.MostCompressed), ratioText(r.Deduplicated))...)
	}
	m.printf("\n## Compression and deduplication\n\n%s\n", out)
	m.printf("Medians after a corpus was put into the dataset. Compressed: refcompressratio of the dataset, with its least and most of all trials.\n")
	m.printf("Deduplicated: dedupratio of the pool. Referenced: what the files take in the pool before deduplication, as zfs counts it.\n")
	m.contents()
	if more := len(m.Ratios) - maxRows; more > 0 {
		m.printf("\nAnd %d more, in %s and %s.\n", more, model.CSVKey, model.JSONKey)
	}
}

// contents say of each corpus that is given from outside what it was, so that it can be told from another.
func (m *page) contents() {
	digests, order := map[string][]string{}, []string{}
	for _, r := range m.Ratios {
		if len(r.Contents) > 0 && digests[r.Workload] == nil {
			order = append(order, r.Workload)
		}
		for _, d := range r.Contents {
			if !slices.Contains(digests[r.Workload], d) {
				digests[r.Workload] = append(digests[r.Workload], d)
			}
		}
	}
	for _, workload := range order {
		if all := digests[workload]; len(all) > 1 {
			m.printf("The data of %s was not the same in all trials (%d digests in %s): the image or the volume has changed meanwhile, or differs between nodes.\n", escape(workload), len(all), model.JSONKey)
		} else {
			m.printf("The data of %s has the digest %s.\n", escape(workload), all[0])
		}
	}
}

// ratioText has the two decimals that OpenZFS tells.
func ratioText(ratio float64) string { return strconv.FormatFloat(ratio, 'f', 2, 64) + "×" }

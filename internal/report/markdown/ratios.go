// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"slices"
	"strconv"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// ratioTable says how much smaller each variant stores its data.
func (m *page) ratioTable() {
	titles := append(m.whereTitles(), ">Data", ">Referenced", ">Compressed", ">Least", ">Most", ">Deduplicated")
	section(m, "Compression and deduplication", titles, m.Ratios, func(r model.Ratio) []string {
		return append(m.where(r.Workload, r.Variant, r.Node, 0), human.Bytes(r.DataBytes), human.Bytes(r.ReferencedBytes),
			ratioText(r.Compressed), ratioText(r.LeastCompressed), ratioText(r.MostCompressed), ratioText(r.Deduplicated))
	}, "Medians after a corpus was put into the dataset. Compressed: refcompressratio of the dataset, with the least "+
		"and the\n"+
		"most of all trials. Deduplicated: dedupratio of the pool. Referenced: what the files take in the pool before\n"+
		"deduplication, as zfs counts it.")
	m.contents()
}

// contents are the digests of the corpora that the user provides, so that a reader notices if they differ.
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
			m.printf("The data of %s was not the same in all trials (%d digests in %s): the image or the volume has changed "+
				"meanwhile, or differs between nodes.\n", escape(workload), len(all), model.JSONKey)
		} else {
			m.printf("The data of %s has the digest %s.\n", escape(workload), all[0])
		}
	}
}

// ratioText has two decimals, as OpenZFS reports.
func ratioText(ratio float64) string { return strconv.FormatFloat(ratio, 'f', 2, 64) + "×" }

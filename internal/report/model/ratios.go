// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"
	"strconv"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// Ratio is how much smaller the data is in the pool, after a workload stored a corpus. Numbers are medians over the
// samples, as OpenZFS reports them for dataset and pool: data of earlier workloads is included.
type Ratio struct {
	Workload string `json:"workload"`
	Variant  string `json:"variant"`
	Node     string `json:"node"`
	Samples  int    `json:"samples"`
	// Compressed is refcompressratio of the dataset, with LeastCompressed and MostCompressed of the samples.
	Compressed      float64 `json:"compressed"`
	LeastCompressed float64 `json:"leastCompressed"`
	MostCompressed  float64 `json:"mostCompressed"`
	// Deduplicated is dedupratio of the pool.
	Deduplicated float64 `json:"deduplicated"`
	// DataBytes is what the files of the dataset hold, without holes, ReferencedBytes what they take in the pool
	// before deduplication.
	DataBytes       float64 `json:"dataBytes"`
	ReferencedBytes float64 `json:"referencedBytes"`
	// Contents are the distinct digests of the data that the samples have stored, for data that the user provides.
	Contents []string `json:"contents,omitempty"`
}

// ratiosOf returns one for each corpus and variant, in the order of the work.
func ratiosOf(in Input, groups []samplesOfOne) []Ratio {
	corpora := map[string]bool{}
	for _, w := range in.Benchmark.Spec.Workloads {
		corpora[w.Name] = w.Corpus != nil
	}
	var all []Ratio
	for _, group := range groups {
		if corpora[group.workload] {
			if r, known := reduceRatio(group.samples); known {
				r.Workload, r.Variant, r.Node = group.workload, group.variant, group.node
				all = append(all, r)
			}
		}
	}
	return all
}

// reduceRatio returns false if there is no pool.
func reduceRatio(samples []result.Sample) (r Ratio, known bool) {
	var compressed, deduplicated, data, referenced []float64
	for _, s := range samples {
		ratio := PropertyNumber(s.Pool.DatasetProperties["refcompressratio"])
		if !s.OnPool() || ratio == 0 {
			continue
		}
		compressed, deduplicated = append(compressed, ratio), append(deduplicated, s.Pool.DedupRatio)
		data, referenced = append(data, PropertyNumber(s.Pool.DatasetProperties["logicalreferenced"])),
			append(referenced, PropertyNumber(s.Pool.DatasetProperties["referenced"]))
		if r.Samples == 0 {
			r.LeastCompressed = ratio
		}
		r.LeastCompressed, r.MostCompressed = min(r.LeastCompressed, ratio), max(r.MostCompressed, ratio)
		r.Samples++
		if s.Data != nil && !slices.Contains(r.Contents, s.Data.Digest) {
			r.Contents = append(r.Contents, s.Data.Digest)
		}
	}
	if r.Samples == 0 {
		return Ratio{}, false
	}
	r.Compressed, r.Deduplicated, r.DataBytes, r.ReferencedBytes = stats.Median(compressed),
		stats.Median(deduplicated), stats.Median(data), stats.Median(referenced)
	return r, true
}

// PropertyNumber is 0 if the property is not a valid number.
func PropertyNumber(property string) float64 {
	const most = 1 << 60
	n, err := strconv.ParseFloat(property, 64)
	if err != nil || !(n > 0 && n <= most) {
		return 0
	}
	return n
}

// SPDX-License-Identifier: Apache-2.0

package validatetest

// again has the reasons why Go says of some cases what the CRD has said already.
func again() map[string]string {
	const (
		job     = "the CRD's own rule, applied to a job with what it takes from preset and workload"
		variant = "the CRD's own rule, applied to the pool, dataset or module parameters of a variant"
		bounds  = "whoever expands a matrix relies on its bounds, and on the names of its axes"
		refer   = "the reference is looked up among the variants"
		room    = "the CRD looks at the spec's own volume only, not at quotas, claims, jobs and variants"
		compare = "a matrix may leave no variant that is compared"
	)
	return map[string]string{
		"fio: bsSplit and bs in a job":            job,
		"workloads: preset, with a depth":         job,
		"workloads: jobs, two rates":              job,
		"moduleParameters: 17 in an overlay":      variant,
		"moduleParameters: a value of an overlay": variant,
		"matrix: a dataset of nothing":            variant,
		"matrix: a type of nothing":               variant,
		"matrix: a volume of nothing":             variant,
		"matrix: a value of no property":          variant,
		"matrix: an ashift of 17":                 variant,
		"matrix: 1,025 variants":                  bounds,
		"matrix: 2,187 variants":                  bounds,
		"matrix: 2^48 variants":                   bounds,
		"matrix: too many to exclude":             bounds,
		"matrix: more than anything takes":        bounds,
		"matrix: exclude of another axis":         bounds,
		"matrix: exclude without axes":            bounds,
		"comparison: no matrix":                   refer,
		"comparison: a reference of half":         refer,
		"comparison: a reference with a comma":    refer,
		"baselines: a reference of one":           refer,
		"dataset: jobs that do not fit":           room,
		"dataset: jobs beyond any volume":         room,
		"repetitions: nothing to confirm":         compare,
	}
}

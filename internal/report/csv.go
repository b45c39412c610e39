// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// row is everything one line of results.csv is written from.
type row struct {
	report *Report
	trial  result.Trial
	// closing says that it was the reference variant's second trial of the repetition.
	closing   bool
	sample    result.Sample
	name      v1alpha1.Operation
	operation result.Operation
	// attempt counts the attempts of the trial, from 1; excluded is why this one does not count.
	attempt  int
	excluded string
}

// csvColumn is a column of results.csv, with the unit in its header.
type csvColumn struct {
	header string
	value  func(row) string
}

// columns are all, in order. New ones are added at the end.
var columns = slices.Concat(sampleColumns, monitorColumns, laterColumns, scenarioColumns, passColumns, steadyCSV)

var sampleColumns = []csvColumn{
	{"namespace", func(r row) string { return r.report.Benchmark.Namespace }},
	{"benchmark", func(r row) string { return r.report.Benchmark.Name }},
	{"node", func(r row) string { return r.trial.Node }},
	{"variant", func(r row) string { return r.trial.Variant }},
	{"repetition", func(r row) string { return strconv.Itoa(r.trial.Repetition) }},
	{"closing", func(r row) string { return strconv.FormatBool(r.closing) }},
	{"trial", func(r row) string { return strconv.Itoa(r.trial.Index) }},
	{"attempt", func(r row) string { return strconv.Itoa(r.attempt) }},
	{"excluded", func(r row) string { return r.excluded }},
	{"trial_failure", func(r row) string {
		if r.trial.Failure == nil {
			return ""
		}
		return r.trial.Failure.Reason
	}},
	{"workload", func(r row) string { return r.sample.Workload }},
	{"tool", func(r row) string { return r.sample.ToolVersion }},
	{"cache", func(r row) string { return r.sample.CacheState }},
	{"started", func(r row) string { return r.sample.Started.UTC().Format(time.RFC3339) }},
	{"operation", func(r row) string { return string(r.name) }},
	{"bytes", func(r row) string { return whole(r.operation.Bytes) }},
	{"ios", func(r row) string { return whole(r.operation.IOs) }},
	{"runtime_nanoseconds", func(r row) string { return whole(r.operation.RuntimeNanoseconds) }},
	{"bandwidth_bytes_per_second", func(r row) string { return decimal(r.operation.BandwidthBytesPerSecond) }},
	{"iops", func(r row) string { return decimal(r.operation.IOPS) }},
	{"latency_count", func(r row) string { return whole(r.operation.Latency.Count) }},
	{"latency_min_nanoseconds", func(r row) string { return whole(r.operation.Latency.MinNanoseconds) }},
	{"latency_mean_nanoseconds", func(r row) string { return decimal(r.operation.Latency.MeanNanoseconds) }},
	{"latency_stddev_nanoseconds", func(r row) string { return decimal(r.operation.Latency.StddevNanoseconds) }},
	{"latency_p50_nanoseconds", func(r row) string { return whole(r.operation.Latency.P50Nanoseconds) }},
	{"latency_p95_nanoseconds", func(r row) string { return whole(r.operation.Latency.P95Nanoseconds) }},
	{"latency_p99_nanoseconds", func(r row) string { return whole(r.operation.Latency.P99Nanoseconds) }},
	{"latency_p999_nanoseconds", func(r row) string { return whole(r.operation.Latency.P999Nanoseconds) }},
	{"latency_max_nanoseconds", func(r row) string { return whole(r.operation.Latency.MaxNanoseconds) }},
	{"sync_nanoseconds", ofPhase(func(p result.Phase) string { return whole(p.SyncNanoseconds) })},
	{"ended", ofPhase(func(p result.Phase) string { return p.Ended })},
	{"workload_runtime_nanoseconds", func(r row) string { return whole(r.sample.RuntimeNanoseconds) }},
	{"tool_cpu_seconds", func(r row) string { return decimal(r.sample.ToolCPUSeconds) }},
	{"node_cpu_seconds", func(r row) string { return decimal(r.sample.NodeCPUSeconds) }},
	{"others_seconds", others(func(o result.Others) string { return decimal(o.ElapsedSeconds) })},
	{"others_cpu_seconds", others(func(o result.Others) string { return decimal(o.CPUSeconds) })},
	{"others_stolen_cpu_seconds", others(func(o result.Others) string { return decimal(o.StolenCPUSeconds) })},
	{"others_capacity_cpu_seconds", others(func(o result.Others) string { return decimal(o.CapacityCPUSeconds) })},
	{"others_disk_bytes", others(func(o result.Others) string { return whole(o.DiskBytes) })},
	{"device_read_bytes", func(r row) string { return whole(r.sample.DeviceReadBytes) }},
	{"device_written_bytes", func(r row) string { return whole(r.sample.DeviceWrittenBytes) }},
	{"device_reads", func(r row) string { return whole(r.sample.DeviceReads) }},
	{"device_writes", func(r row) string { return whole(r.sample.DeviceWrites) }},
	{"pool_health", func(r row) string { return r.sample.Pool.Health }},
	{"pool_ashift", func(r row) string { return joined(r.sample.Pool.Ashift, " ") }},
	{"pool_size_bytes", ofPool(func(p result.PoolFacts) string { return whole(p.SizeBytes) })},
	{"pool_allocated_bytes", ofPool(func(p result.PoolFacts) string { return whole(p.AllocatedBytes) })},
	{"pool_fragmentation_percent", ofPool(func(p result.PoolFacts) string { return strconv.Itoa(p.FragmentationPercent) })},
	{"pool_capacity_percent", ofPool(func(p result.PoolFacts) string { return strconv.Itoa(p.CapacityPercent) })},
	{"pool_dedup_ratio", ofPool(func(p result.PoolFacts) string { return decimal(p.DedupRatio) })},
	{"dataset_compress_ratio", ofPool(func(p result.PoolFacts) string { return decimal(p.CompressRatio) })},
	{"baseline", ofBaseline(func(b result.BaselineFacts) string { return b.Type })},
	{"baseline_size_bytes", ofBaseline(func(b result.BaselineFacts) string { return whole(b.SizeBytes) })},
	{"baseline_available_bytes", ofBaseline(func(b result.BaselineFacts) string { return whole(b.AvailableBytes) })},
	{"baseline_mount_options", ofBaseline(func(b result.BaselineFacts) string { return b.MountOptions })},
	{"baseline_cache_budget_bytes", ofBaseline(func(b result.BaselineFacts) string { return whole(b.CacheBudgetBytes) })},
	{"array_level", ofArray(func(a result.ArrayFacts) string { return a.Level })},
	{"array_disks", ofArray(func(a result.ArrayFacts) string { return strconv.Itoa(a.Disks) })},
	{"array_chunk_bytes", ofArray(func(a result.ArrayFacts) string { return whole(a.ChunkBytes) })},
	{"array_layout", ofArray(func(a result.ArrayFacts) string { return a.Layout })},
	{"array_bitmap", ofArray(func(a result.ArrayFacts) string { return a.Bitmap })},
	{"plan_digest", func(r row) string { return r.trial.PlanDigest }},
}

var laterColumns = []csvColumn{
	{"dataset_ref_compress_ratio", ofPool(func(p result.PoolFacts) string {
		if n := propertyNumber(p.DatasetProperties["refcompressratio"]); n > 0 {
			return decimal(n)
		}
		return ""
	})},
	{"array_degraded", ofArray(func(a result.ArrayFacts) string { return strconv.Itoa(a.Degraded) })},
	{"array_least_sync_bytes_per_second", ofArray(func(a result.ArrayFacts) string { return whole(a.LeastSyncBytesPerSecond) })},
	{"array_most_sync_bytes_per_second", ofArray(func(a result.ArrayFacts) string { return whole(a.MostSyncBytesPerSecond) })},
	{"array_mismatch_bytes", ofArray(func(a result.ArrayFacts) string { return whole(a.MismatchBytes) })},
}

// passColumns are empty for a workload that has only one pass.
var passColumns = []csvColumn{
	{"pass", func(r row) string {
		if r.sample.Pass == 0 {
			return ""
		}
		return strconv.Itoa(r.sample.Pass)
	}},
}

// ofPhase is empty for reading and writing.
func ofPhase(of func(result.Phase) string) func(row) string {
	return func(r row) string {
		p, isPhase := r.sample.Phase(string(r.name))
		if !isPhase {
			return ""
		}
		return of(p)
	}
}

// others is empty where it is not known what the node did for others.
func others(of func(result.Others) string) func(row) string {
	return func(r row) string {
		if r.sample.Others == nil {
			return ""
		}
		return of(*r.sample.Others)
	}
}

// ofPool is empty where there is no pool.
func ofPool(of func(result.PoolFacts) string) func(row) string {
	return func(r row) string {
		if !r.sample.OnPool() {
			return ""
		}
		return of(r.sample.Pool)
	}
}

// ofBaseline is empty where there is nothing but a pool.
func ofBaseline(of func(result.BaselineFacts) string) func(row) string {
	return func(r row) string {
		if r.sample.Baseline == nil {
			return ""
		}
		return of(*r.sample.Baseline)
	}
}

// ofArray is empty where there is no md array.
func ofArray(of func(result.ArrayFacts) string) func(row) string {
	return ofBaseline(func(b result.BaselineFacts) string {
		if b.Array == nil {
			return ""
		}
		return of(*b.Array)
	})
}

// columnsOfExcluded are those that an excluded attempt has a value for.
var columnsOfExcluded = []string{
	"namespace", "benchmark", "node", "variant", "repetition", "closing", "trial", "attempt", "excluded", "workload", "started", "operation",
	"bandwidth_bytes_per_second", "plan_digest", "pass",
}

// isKnown says whether a row has a value in a column.
func (r row) isKnown(header string) bool {
	if r.excluded == "" {
		return true
	}
	return slices.Contains(columnsOfExcluded, header) && (r.name != "" || header != "bandwidth_bytes_per_second")
}

// csvDocument has one line per trial, workload and operation, and those of excluded attempts before those of their trial.
func csvDocument(report *Report) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.UseCRLF = true
	header := make([]string, 0, len(columns))
	for _, c := range columns {
		header = append(header, c.header)
	}
	if err := w.Write(header); err != nil {
		return nil, err
	}
	for _, node := range report.Nodes {
		for _, trial := range node.Trials {
			r := row{report: report, trial: trial, closing: node.isClosing(trial)}
			if err := writeExcluded(w, r); err != nil {
				return nil, err
			}
			r.attempt = len(trial.Excluded) + 1
			for _, s := range trial.Samples {
				r.sample = s
				if err := writeSample(w, r); err != nil {
					return nil, err
				}
			}
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

// writeSample writes the row once for each operation.
func writeSample(w *csv.Writer, r row) error {
	for _, o := range r.sample.Performed() {
		r.name, r.operation = v1alpha1.Operation(o.Name), *o.Operation
		if err := r.write(w); err != nil {
			return err
		}
	}
	return nil
}

// writeExcluded writes what the excluded attempts had measured; an attempt without anything has one line without a workload.
func writeExcluded(w *csv.Writer, r row) error {
	for i, a := range r.trial.Excluded {
		r.attempt, r.excluded = i+1, a.Failure.Reason
		r.sample = result.Sample{Started: a.Started}
		if len(a.Bandwidths) == 0 {
			if err := r.write(w); err != nil {
				return err
			}
		}
		for _, b := range a.Bandwidths {
			r.sample.Pass = b.Pass
			r.sample.Workload, r.sample.Read, r.sample.Write = b.Workload, atBandwidth(b.ReadBytesPerSecond), atBandwidth(b.WriteBytesPerSecond)
			err := writeSample(w, r)
			if len(r.sample.Performed()) == 0 { // phases are not kept
				err = r.write(w)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// atBandwidth is an operation of which only the bandwidth is known; nil for one that was not used.
func atBandwidth(bytesPerSecond int64) *result.Operation {
	if bytesPerSecond == 0 {
		return nil
	}
	return &result.Operation{BandwidthBytesPerSecond: float64(bytesPerSecond)}
}

func (r row) write(w *csv.Writer) error {
	record := make([]string, 0, len(columns))
	for _, c := range columns {
		value := ""
		if r.isKnown(c.header) {
			value = cell(c.value(r))
		}
		record = append(record, value)
	}
	return w.Write(record)
}

// isClosing looks a trial up in the plan.
func (n Node) isClosing(t result.Trial) bool {
	return t.Index >= 0 && t.Index < len(n.Plan.Trials) && n.Plan.Trials[t.Index].Closing
}

// cell keeps spreadsheets from taking a text that a node reported for a formula: some look behind white space, and know full-width signs, too.
func cell(s string) string {
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(s, unicode.IsSpace))
	if strings.ContainsRune("=+-@＝＋－＠", first) {
		return "'" + s
	}
	return s
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func joined(values []int, separator string) string {
	words := make([]string, 0, len(values))
	for _, v := range values {
		words = append(words, strconv.Itoa(v))
	}
	return strings.Join(words, separator)
}

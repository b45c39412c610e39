// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"zfsbench.io/operator/internal/result"
)

// csvColumn is a column of results.csv, with the unit in its header.
type csvColumn struct {
	header string
	value  func(row) string
}

// columns are all, in order. New ones are added at the end.
var columns = slices.Concat(sampleColumns, monitorColumns, laterColumns, scenarioColumns, passColumns, steadyCSV)

var sampleColumns = []csvColumn{
	{"namespace", func(r row) string { return r.benchmark.Namespace }},
	{"benchmark", func(r row) string { return r.benchmark.Name }},
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
	{"operation", func(r row) string { return string(r.operation) }},
	{"bytes", func(r row) string { return whole(r.measured.Bytes) }},
	{"ios", func(r row) string { return whole(r.measured.IOs) }},
	{"runtime_nanoseconds", func(r row) string { return whole(r.measured.RuntimeNanoseconds) }},
	{"bandwidth_bytes_per_second", func(r row) string { return decimal(r.measured.BandwidthBytesPerSecond) }},
	{"iops", func(r row) string { return decimal(r.measured.IOPS) }},
	{"latency_count", func(r row) string { return whole(r.measured.Latency.Count) }},
	{"latency_min_nanoseconds", func(r row) string { return whole(r.measured.Latency.MinNanoseconds) }},
	{"latency_mean_nanoseconds", func(r row) string { return decimal(r.measured.Latency.MeanNanoseconds) }},
	{"latency_stddev_nanoseconds", func(r row) string { return decimal(r.measured.Latency.StddevNanoseconds) }},
	{"latency_p50_nanoseconds", func(r row) string { return whole(r.measured.Latency.P50Nanoseconds) }},
	{"latency_p95_nanoseconds", func(r row) string { return whole(r.measured.Latency.P95Nanoseconds) }},
	{"latency_p99_nanoseconds", func(r row) string { return whole(r.measured.Latency.P99Nanoseconds) }},
	{"latency_p999_nanoseconds", func(r row) string { return whole(r.measured.Latency.P999Nanoseconds) }},
	{"latency_max_nanoseconds", func(r row) string { return whole(r.measured.Latency.MaxNanoseconds) }},
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
	{"pool_ashift", func(r row) string { return strings.Trim(fmt.Sprint(r.sample.Pool.Ashift), "[]") }},
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
		p, isPhase := r.sample.Phase(string(r.operation))
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
	"namespace", "benchmark", "node", "variant", "repetition", "closing", "trial", "attempt", "excluded", "workload",
	"started", "operation", "bandwidth_bytes_per_second", "plan_digest", "pass",
}

// isKnown says whether a row has a value in a column.
func isKnown(r row, header string) bool {
	if r.excluded == "" {
		return true
	}
	return slices.Contains(columnsOfExcluded, header) && (r.operation != "" || header != "bandwidth_bytes_per_second")
}

// csvDocument has one line for each row of the report.
func csvDocument(report *Report) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.UseCRLF = true
	record := make([]string, len(columns))
	for i, c := range columns {
		record[i] = c.header
	}
	if err := w.Write(record); err != nil {
		return nil, err
	}
	for r := range report.rows() {
		for i, c := range columns {
			record[i] = ""
			if isKnown(r, c.header) {
				record[i] = cell(c.value(r))
			}
		}
		if err := w.Write(record); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
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

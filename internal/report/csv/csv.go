// SPDX-License-Identifier: Apache-2.0

package csv

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

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
)

// column is a column of results.csv, with the unit in its header.
type column struct {
	header string
	value  func(model.Row) string
}

// columns are all columns, in order. New ones are added at the end.
var columns = slices.Concat(trialColumns, monitorColumns, laterColumns, scenarioColumns, passColumns, steadyCSV)

var trialColumns = []column{
	{"namespace", func(r model.Row) string { return r.Benchmark.Namespace }},
	{"benchmark", func(r model.Row) string { return r.Benchmark.Name }},
	{"node", func(r model.Row) string { return r.Trial.Node }},
	{"variant", func(r model.Row) string { return r.Trial.Variant }},
	{"repetition", func(r model.Row) string { return strconv.Itoa(r.Trial.Repetition) }},
	{"closing", func(r model.Row) string { return strconv.FormatBool(r.Closing) }},
	{"trial", func(r model.Row) string { return strconv.Itoa(r.Trial.Index) }},
	{"attempt", func(r model.Row) string { return strconv.Itoa(r.Attempt) }},
	{"excluded", func(r model.Row) string { return r.Excluded }},
	{"trial_failure", func(r model.Row) string {
		if r.Trial.Failure == nil {
			return ""
		}
		return r.Trial.Failure.Reason
	}},
	{"workload", func(r model.Row) string { return r.Sample.Workload }},
	{"tool", func(r model.Row) string { return r.Sample.ToolVersion }},
	{"cache", func(r model.Row) string { return r.Sample.CacheState }},
	{"started", func(r model.Row) string { return r.Sample.Started.UTC().Format(time.RFC3339) }},
	{"operation", func(r model.Row) string { return string(r.Operation) }},
	{"bytes", func(r model.Row) string { return whole(r.Measured.Bytes) }},
	{"ios", func(r model.Row) string { return whole(r.Measured.IOs) }},
	{"runtime_nanoseconds", func(r model.Row) string { return whole(r.Measured.RuntimeNanoseconds) }},
	{"bandwidth_bytes_per_second", func(r model.Row) string { return decimal(r.Measured.BandwidthBytesPerSecond) }},
	{"iops", func(r model.Row) string { return decimal(r.Measured.IOPS) }},
	{"latency_count", func(r model.Row) string { return whole(r.Measured.Latency.Count) }},
	{"latency_min_nanoseconds", func(r model.Row) string { return whole(r.Measured.Latency.MinNanoseconds) }},
	{"latency_mean_nanoseconds", func(r model.Row) string { return decimal(r.Measured.Latency.MeanNanoseconds) }},
	{"latency_stddev_nanoseconds", func(r model.Row) string { return decimal(r.Measured.Latency.StddevNanoseconds) }},
	{"latency_p50_nanoseconds", func(r model.Row) string { return whole(r.Measured.Latency.P50Nanoseconds) }},
	{"latency_p95_nanoseconds", func(r model.Row) string { return whole(r.Measured.Latency.P95Nanoseconds) }},
	{"latency_p99_nanoseconds", func(r model.Row) string { return whole(r.Measured.Latency.P99Nanoseconds) }},
	{"latency_p999_nanoseconds", func(r model.Row) string { return whole(r.Measured.Latency.P999Nanoseconds) }},
	{"latency_max_nanoseconds", func(r model.Row) string { return whole(r.Measured.Latency.MaxNanoseconds) }},
	{"sync_nanoseconds", ofPhase(func(p result.Phase) string { return whole(p.SyncNanoseconds) })},
	{"ended", ofPhase(func(p result.Phase) string { return p.Ended })},
	{"workload_runtime_nanoseconds", func(r model.Row) string { return whole(r.Sample.RuntimeNanoseconds) }},
	{"tool_cpu_seconds", func(r model.Row) string { return decimal(r.Sample.ToolCPUSeconds) }},
	{"node_cpu_seconds", func(r model.Row) string { return decimal(r.Sample.NodeCPUSeconds) }},
	{"others_seconds", others(func(o result.Others) string { return decimal(o.ElapsedSeconds) })},
	{"others_cpu_seconds", others(func(o result.Others) string { return decimal(o.CPUSeconds) })},
	{"others_stolen_cpu_seconds", others(func(o result.Others) string { return decimal(o.StolenCPUSeconds) })},
	{"others_capacity_cpu_seconds", others(func(o result.Others) string { return decimal(o.CapacityCPUSeconds) })},
	{"others_disk_bytes", others(func(o result.Others) string { return whole(o.DiskBytes) })},
	{"device_read_bytes", func(r model.Row) string { return whole(r.Sample.DeviceReadBytes) }},
	{"device_written_bytes", func(r model.Row) string { return whole(r.Sample.DeviceWrittenBytes) }},
	{"device_reads", func(r model.Row) string { return whole(r.Sample.DeviceReads) }},
	{"device_writes", func(r model.Row) string { return whole(r.Sample.DeviceWrites) }},
	{"pool_health", func(r model.Row) string { return r.Sample.Pool.Health }},
	{"pool_ashift", func(r model.Row) string { return strings.Trim(fmt.Sprint(r.Sample.Pool.Ashift), "[]") }},
	{"pool_size_bytes", ofPool(func(p result.PoolFacts) string { return whole(p.SizeBytes) })},
	{"pool_allocated_bytes", ofPool(func(p result.PoolFacts) string { return whole(p.AllocatedBytes) })},
	{"pool_fragmentation_percent", ofPool(func(p result.PoolFacts) string {
		return strconv.Itoa(p.FragmentationPercent)
	})},
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
	{"plan_digest", func(r model.Row) string { return r.Trial.PlanDigest }},
}

var laterColumns = []column{
	{"dataset_ref_compress_ratio", ofPool(func(p result.PoolFacts) string {
		if n := model.PropertyNumber(p.DatasetProperties["refcompressratio"]); n > 0 {
			return decimal(n)
		}
		return ""
	})},
	{"array_degraded", ofArray(func(a result.ArrayFacts) string { return strconv.Itoa(a.Degraded) })},
	{"array_least_sync_bytes_per_second", ofArray(func(a result.ArrayFacts) string {
		return whole(a.LeastSyncBytesPerSecond)
	})},
	{"array_most_sync_bytes_per_second", ofArray(func(a result.ArrayFacts) string {
		return whole(a.MostSyncBytesPerSecond)
	})},
	{"array_mismatch_bytes", ofArray(func(a result.ArrayFacts) string { return whole(a.MismatchBytes) })},
}

// passColumns are empty for a workload with only one pass.
var passColumns = []column{
	{"pass", func(r model.Row) string {
		if r.Sample.Pass == 0 {
			return ""
		}
		return strconv.Itoa(r.Sample.Pass)
	}},
}

// of makes a column from a part of a row. The column is empty if the row has no such part.
func of[T any](part func(model.Row) *T, value func(T) string) func(model.Row) string {
	return func(r model.Row) string {
		if p := part(r); p != nil {
			return value(*p)
		}
		return ""
	}
}

// ofPhase is empty for reading and writing.
func ofPhase(value func(result.Phase) string) func(model.Row) string {
	return of(func(r model.Row) *result.Phase {
		if p, isPhase := r.Sample.Phase(string(r.Operation)); isPhase {
			return &p
		}
		return nil
	}, value)
}

// others is empty if it is unknown what other work the node did.
func others(value func(result.Others) string) func(model.Row) string {
	return of(func(r model.Row) *result.Others { return r.Sample.Others }, value)
}

// ofPool is empty if there is no pool.
func ofPool(value func(result.PoolFacts) string) func(model.Row) string {
	return of(func(r model.Row) *result.PoolFacts {
		if r.Sample.OnPool() {
			return &r.Sample.Pool
		}
		return nil
	}, value)
}

// ofBaseline is empty if there is only a pool.
func ofBaseline(value func(result.BaselineFacts) string) func(model.Row) string {
	return of(func(r model.Row) *result.BaselineFacts { return r.Sample.Baseline }, value)
}

// ofArray is empty if there is no md array.
func ofArray(value func(result.ArrayFacts) string) func(model.Row) string {
	return of(func(r model.Row) *result.ArrayFacts {
		if r.Sample.Baseline == nil {
			return nil
		}
		return r.Sample.Baseline.Array
	}, value)
}

// columnsOfExcluded are the columns for which an excluded attempt has a value.
var columnsOfExcluded = []string{
	"namespace", "benchmark", "node", "variant", "repetition", "closing", "trial", "attempt", "excluded", "workload",
	"started", "operation", "bandwidth_bytes_per_second", "plan_digest", "pass",
}

// isKnown says whether a row has a value in a column.
func isKnown(r model.Row, header string) bool {
	if r.Excluded == "" {
		return true
	}
	return slices.Contains(columnsOfExcluded, header) && (r.Operation != "" || header != "bandwidth_bytes_per_second")
}

// Write writes one line for each row of the report.
func Write(report *model.Report) ([]byte, error) {
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
	for r := range report.Rows() {
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

// cell prevents a spreadsheet from taking a text that a node reported for a formula: some spreadsheets skip white
// space, and also know full-width signs.
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

// SPDX-License-Identifier: Apache-2.0

package csv

import (
	"strconv"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
)

// scenarioColumns are how long it took to make and remove what a trial ran on, the same in all lines of the trial, and
// the state of the pool after operations on it.
var scenarioColumns = []column{
	{"pool_create_nanoseconds", ofTimes(func(t result.Times) int64 { return t.PoolCreate })},
	{"array_create_nanoseconds", ofTimes(func(t result.Times) int64 { return t.ArrayCreate })},
	{"array_sync_nanoseconds", ofTimes(func(t result.Times) int64 { return t.ArraySync })},
	{"filesystem_make_nanoseconds", ofTimes(func(t result.Times) int64 { return t.FilesystemMake })},
	{"dataset_destroy_nanoseconds", ofTimes(func(t result.Times) int64 { return t.DatasetDestroy })},
	{"filled_before_percent", ofFilled(func(f result.Filled) string { return decimal(f.Before.FilledPercent()) })},
	{"filled_before_capacity_percent", ofFilled(func(f result.Filled) string {
		return strconv.Itoa(f.Before.CapacityPercent)
	})},
	{"filled_before_fragmentation_percent",
		ofFilled(func(f result.Filled) string { return strconv.Itoa(f.Before.FragmentationPercent) })},
	{"filled_after_percent", ofFilled(func(f result.Filled) string { return decimal(f.After.FilledPercent()) })},
	{"filled_after_capacity_percent", ofFilled(func(f result.Filled) string {
		return strconv.Itoa(f.After.CapacityPercent)
	})},
	{"filled_after_fragmentation_percent", ofFilled(func(f result.Filled) string {
		return strconv.Itoa(f.After.FragmentationPercent)
	})},
	{"allocation_fragmentation_percent", ofAllocation(func(a result.Allocation) string {
		return decimal(a.FragmentationPercent())
	})},
	{"allocation_extents", ofAllocation(func(a result.Allocation) string { return whole(a.Extents()) })},
	{"allocation_mean_extent_bytes", ofAllocation(func(a result.Allocation) string {
		return decimal(a.MeanExtentBytes())
	})},
	{"simulated_dedup", ofSimulated(func(d result.SimulatedDedup) string { return decimal(d.Dedup) })},
	{"simulated_compress", ofSimulated(func(d result.SimulatedDedup) string { return decimal(d.Compress) })},
	{"simulated_copies", ofSimulated(func(d result.SimulatedDedup) string { return decimal(d.Copies) })},
	{"simulated_combined", ofSimulated(func(d result.SimulatedDedup) string { return decimal(d.Combined) })},
	{"during_operation", ofDuring(func(d result.During) string { return d.Name })},
	{"during_alone_nanoseconds", ofDuring(func(d result.During) string { return whole(d.AloneNanoseconds) })},
	{"during_interrupted_tool", ofDuring(func(d result.During) string { return strconv.FormatBool(d.Interrupted) })},
}

// ofTimes is empty if a step was not done or not measured.
func ofTimes(of func(result.Times) int64) func(model.Row) string {
	return func(r model.Row) string {
		if of(r.Trial.Times) == 0 {
			return ""
		}
		return whole(of(r.Trial.Times))
	}
}

// ofFilled is empty for workloads that do not fill the pool.
func ofFilled(value func(result.Filled) string) func(model.Row) string {
	return of(func(r model.Row) *result.Filled { return r.Sample.Filled }, value)
}

// ofInspection is empty for workloads after which zdb did not inspect that part.
func ofInspection[T any](part func(result.Inspected) *T, value func(T) string) func(model.Row) string {
	return of(func(r model.Row) *T {
		if r.Sample.Inspected == nil {
			return nil
		}
		return part(*r.Sample.Inspected)
	}, value)
}

func ofAllocation(value func(result.Allocation) string) func(model.Row) string {
	return ofInspection(func(i result.Inspected) *result.Allocation { return i.Allocation }, value)
}

func ofSimulated(value func(result.SimulatedDedup) string) func(model.Row) string {
	return ofInspection(func(i result.Inspected) *result.SimulatedDedup { return i.SimulatedDedup }, value)
}

// ofDuring is empty for workloads without an operation on the pool at the same time.
func ofDuring(value func(result.During) string) func(model.Row) string {
	return of(func(r model.Row) *result.During { return r.Sample.During }, value)
}

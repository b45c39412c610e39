// SPDX-License-Identifier: Apache-2.0

package csv

import (
	"strings"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
)

// monitorColumns are what limited a workload and what was observed while it ran. The values are about the whole
// workload, so they are the same for all of its operations.
var monitorColumns = []column{
	{"inodes_created", func(r model.Row) string { return whole(r.InodesCreated) }},
	{"limiting_factor", func(r model.Row) string { return string(r.Limit.Factor) }},
	{"limiting_devices", func(r model.Row) string { return strings.Join(r.Limit.Devices, " ") }},
	{"limiting_evidence", func(r model.Row) string { return r.Limit.Evidence }},
	{"cpu_busy_mean", ofCPU(func(c result.CPUUse) float64 { return c.Busy.Mean })},
	{"cpu_busy_max", ofCPU(func(c result.CPUUse) float64 { return c.Busy.Max })},
	{"cpu_busiest_core_mean", ofCPU(func(c result.CPUUse) float64 { return c.BusiestCore.Mean })},
	{"cpu_user_mean", ofCPU(func(c result.CPUUse) float64 { return c.User })},
	{"cpu_system_mean", ofCPU(func(c result.CPUUse) float64 { return c.System })},
	{"cpu_iowait_mean", ofCPU(func(c result.CPUUse) float64 { return c.IOWait })},
	{"memory_least_available_bytes", ofMonitors(func(m result.Monitors) *result.MemoryUse { return m.Memory },
		func(m result.MemoryUse) string { return whole(m.LeastAvailableBytes) })},
	{"arc_size_bytes", ofARC(func(a result.ARCUse) int64 { return a.SizeBytes })},
	{"arc_demand_hits", ofARC(func(a result.ARCUse) int64 { return a.DemandHits })},
	{"arc_demand_misses", ofARC(func(a result.ARCUse) int64 { return a.DemandMisses })},
	{"arc_metadata_hits", ofARC(func(a result.ARCUse) int64 { return a.MetadataHits })},
	{"arc_metadata_misses", ofARC(func(a result.ARCUse) int64 { return a.MetadataMisses })},
	{"arc_prefetch_hits", ofARC(func(a result.ARCUse) int64 { return a.PrefetchHits })},
	{"arc_prefetch_misses", ofARC(func(a result.ARCUse) int64 { return a.PrefetchMisses })},
	{"l2arc_hits", ofARC(func(a result.ARCUse) int64 { return a.L2Hits })},
	{"l2arc_misses", ofARC(func(a result.ARCUse) int64 { return a.L2Misses })},
	{"l2arc_size_bytes", ofARC(func(a result.ARCUse) int64 { return a.L2SizeBytes })},
	{"zil_commits", ofZIL(func(z result.ZILUse) int64 { return z.Commits })},
	{"zil_pool_bytes", ofZIL(func(z result.ZILUse) int64 { return z.PoolBytes })},
	{"zil_log_bytes", ofZIL(func(z result.ZILUse) int64 { return z.LogBytes })},
	{"txgs_synced", ofTxgs(func(t result.TxgUse) string { return whole(t.Synced) })},
	{"txg_sync_mean_nanoseconds", ofTxgs(func(t result.TxgUse) string { return decimal(t.SyncNanoseconds.Mean) })},
	{"txg_sync_max_nanoseconds", ofTxgs(func(t result.TxgUse) string { return decimal(t.SyncNanoseconds.Max) })},
	{"transactions_assigned", ofThrottle(func(t result.ThrottleUse) int64 { return t.Assigned })},
	{"transactions_delayed", ofThrottle(func(t result.ThrottleUse) int64 { return t.Delayed + t.Throttled })},
	{"io_pressure_mean", ofMonitors(func(m result.Monitors) *result.PressureUse { return m.Pressure },
		func(p result.PressureUse) string { return decimal(p.IO) })},
	{"busiest_device", ofBusiest(func(d result.DeviceUse) string { return d.Device })},
	{"busiest_device_utilization_mean", ofBusiest(func(d result.DeviceUse) string { return decimal(d.Utilization.Mean) })},
	{"busiest_device_queue_mean", ofBusiest(func(d result.DeviceUse) string { return decimal(d.Queue) })},
	{"busiest_device_read_wait_nanoseconds",
		ofBusiest(func(d result.DeviceUse) string { return whole(d.ReadWaitNanoseconds) })},
	{"busiest_device_write_wait_nanoseconds",
		ofBusiest(func(d result.DeviceUse) string { return whole(d.WriteWaitNanoseconds) })},
	{"hottest_celsius", ofMonitors(func(m result.Monitors) *result.Monitors { return &m }, func(m result.Monitors) string {
		if m.HottestCelsius == 0 {
			return ""
		}
		return decimal(m.HottestCelsius)
	})},
}

// ofMonitors is empty for a workload that was not observed, and if the node has no such value.
func ofMonitors[T any](part func(result.Monitors) *T, value func(T) string) func(model.Row) string {
	return of(func(r model.Row) *T {
		if r.Sample.Monitors == nil {
			return nil
		}
		return part(*r.Sample.Monitors)
	}, value)
}

func ofCPU(value func(result.CPUUse) float64) func(model.Row) string {
	return ofMonitors(func(m result.Monitors) *result.CPUUse { return m.CPU },
		func(c result.CPUUse) string { return decimal(value(c)) })
}

func ofARC(value func(result.ARCUse) int64) func(model.Row) string {
	return ofMonitors(func(m result.Monitors) *result.ARCUse { return m.ARC },
		func(a result.ARCUse) string { return whole(value(a)) })
}

func ofZIL(value func(result.ZILUse) int64) func(model.Row) string {
	return ofMonitors(func(m result.Monitors) *result.ZILUse { return m.ZIL },
		func(z result.ZILUse) string { return whole(value(z)) })
}

func ofTxgs(value func(result.TxgUse) string) func(model.Row) string {
	return ofMonitors(func(m result.Monitors) *result.TxgUse { return m.Txgs }, value)
}

func ofThrottle(value func(result.ThrottleUse) int64) func(model.Row) string {
	return ofMonitors(func(m result.Monitors) *result.ThrottleUse { return m.Transactions },
		func(t result.ThrottleUse) string { return whole(value(t)) })
}

func ofBusiest(value func(result.DeviceUse) string) func(model.Row) string {
	return ofMonitors(func(m result.Monitors) *result.DeviceUse {
		if len(m.Devices) == 0 {
			return nil
		}
		return &m.Devices[0]
	}, value)
}

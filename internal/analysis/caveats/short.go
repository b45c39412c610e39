// SPDX-License-Identifier: Apache-2.0

package caveats

import (
	"fmt"
	"strconv"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools/registry"
)

// dirtyFactor is how many times the amount of data that OpenZFS keeps in memory a workload has to write. From there on,
// the devices decide how fast it is.
const dirtyFactor = 3

// tooShort finds writes that may have ended in memory: dirty data is written to disk only with the next transaction
// group, and up to zfs_dirty_data_max of it does not slow writers down.
func tooShort(s subject) string {
	dirty, err := strconv.ParseInt(s.parameter("zfs_dirty_data_max"), 10, 64)
	if err != nil || dirty <= 0 || s.synchronous(dirty) {
		return ""
	}
	least := int64(-1)
	for _, sample := range s.samples {
		if n := sample.BytesWritten(); n > 0 && (least < 0 || n < least) {
			least = n
		}
	}
	if least < 0 || least >= dirtyFactor*dirty {
		return ""
	}
	return fmt.Sprintf("It wrote only %s, and OpenZFS keeps up to %s in memory before it slows writing down "+
		"(zfs_dirty_data_max). Write at least %s.",
		human.Bytes(float64(least)), human.Bytes(float64(dirty)), human.Bytes(dirtyFactor*float64(dirty)))
}

// synchronous says whether the workload's writes are in the intent log soon enough: before the write returns, or, with
// fsync or fdatasync, before as much data is dirty as OpenZFS holds. The dataset's property sync overrides both.
func (s subject) synchronous(dirty int64) bool {
	if s.workload.Fio != nil {
		return s.allFio(func(j v1alpha1.FioWorkload) bool {
			return !j.RW.Does(v1alpha1.OperationWrite) || synchronous(j, s.propertyFor(j, "sync"), dirty)
		})
	}
	switch s.property("sync") {
	case "disabled":
		return false
	case "always":
		return true
	}
	tool := registry.Of(s.workload)
	return tool != nil && tool.Synchronous()
}

// synchronous is the same for one job, in a dataset with this value of sync.
func synchronous(f v1alpha1.FioWorkload, sync string, dirty int64) bool {
	switch sync {
	case "disabled":
		return false
	case "always":
		return true
	}
	if f.Sync != "" && f.Sync != v1alpha1.FioSyncNone {
		return true
	}
	blocks, err := f.BlockRange()
	writes := int64(max(f.Fsync, f.Fdatasync))
	return err == nil && writes > 0 && blocks.Largest <= dirty/writes/int64(max(1, f.NumJobs))
}

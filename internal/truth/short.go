// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"fmt"
	"strconv"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/human"
	"zfsbench.io/operator/internal/result"
)

// dirtyFactor is how many times what OpenZFS keeps in memory a workload has to write before the devices decide how fast it is.
const dirtyFactor = 3

// tooShort finds writing that may have ended in memory: what is dirty is only written at the next transaction group, and up to zfs_dirty_data_max of it slows nobody down. Synchronous
// writing is in the intent log before it returns.
func tooShort(s subject) string {
	dirty, err := strconv.ParseInt(s.facts.ModuleParameters["zfs.zfs_dirty_data_max"], 10, 64)
	f := s.workload.Fio
	if err != nil || dirty <= 0 || f == nil || f.Fsync > 0 || (f.Sync != "" && f.Sync != v1alpha1.FioSyncNone) {
		return ""
	}
	least := int64(-1)
	for _, sample := range s.samples {
		if n := written(sample); n > 0 && (least < 0 || n < least) {
			least = n
		}
	}
	if least < 0 || least >= dirtyFactor*dirty {
		return ""
	}
	return fmt.Sprintf("It wrote only %s, and OpenZFS keeps up to %s in memory before it slows writing down (zfs_dirty_data_max). Write at least %s.",
		human.Bytes(float64(least)), human.Bytes(float64(dirty)), human.Bytes(dirtyFactor*float64(dirty)))
}

func written(s result.Sample) int64 {
	if s.Write == nil {
		return 0
	}
	return s.Write.Bytes
}

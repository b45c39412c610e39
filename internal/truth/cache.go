// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/human"
)

// servedFraction is how much of what a workload reads has to come from the devices. Prefetch makes even cold sequential reads look like hits of the ARC, so hits say nothing.
const servedFraction = 0.5

// servedFromCache compares what the workload read with what the devices read, as far as compression lets them read less.
func servedFromCache(s subject) string {
	var read, devices float64
	for _, sample := range s.samples {
		if sample.BytesRead() == 0 {
			continue
		}
		read += float64(sample.BytesRead()) / max(1, sample.Pool.CompressRatio)
		devices += float64(sample.DeviceReadBytes)
	}
	if read == 0 || devices >= servedFraction*read {
		return ""
	}
	cache, most := "ARC", s.arcMaxBytes()
	if s.samples[0].Baseline != nil {
		cache, most = "page cache", s.pageCacheBytes()
	}
	advice := fmt.Sprintf("Read from files of at least three times what the %s may take", cache)
	if most > 0 {
		advice += ", " + human.Bytes(3*float64(most)) + " on this node"
	}
	if s.workload.Cache == v1alpha1.CacheWarm {
		advice += ", or set cache to Cold"
	}
	return fmt.Sprintf("Most of what it read came from a cache: the devices read %s for each byte of it. %s.", human.Percent(devices/read), advice)
}

// pageCacheBytes is what the page cache may hold, 0 if that is not known.
func (s subject) pageCacheBytes() int64 {
	if facts := s.samples[0].Baseline; facts != nil {
		return facts.CacheBudgetBytes
	}
	return 0
}

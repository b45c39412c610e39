// SPDX-License-Identifier: Apache-2.0

package caveats

import (
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

// servedFraction is the part of a workload's reads that must come from the devices. For streams it is a part of the
// reads of the phase that reads least, because the devices' reads cannot be assigned to phases. Hits of the ARC are no
// indication: prefetch makes even cold sequential reads look like hits.
const servedFraction = 0.5

// servedFromCache compares what the workload read with what the devices read. Compression lets them read less.
func servedFromCache(s subject) string {
	if b := s.variant.Baseline; b != nil && b.PersistentVolume != nil {
		return "" // the devices of a volume of an existing class are unknown
	}
	var read, devices, served float64
	for _, sample := range s.samples {
		if sample.BytesRead() == 0 || sample.Pass > 1 { // later passes are meant to be served from a cache
			continue
		}
		read += float64(sample.BytesRead()) / max(1, sample.Pool.CompressRatio)
		devices += float64(sample.DeviceReadBytes)
		served += (1 - servedFraction) * float64(s.leastRead(sample)) / max(1, sample.Pool.CompressRatio)
	}
	if read == 0 || devices >= read-served {
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
	if f, size := s.workload.Fio, s.sizeBytes(); f != nil && f.RelativeSize != "" && size > 0 {
		advice += fmt.Sprintf("; relativeSize %s was %s", f.RelativeSize,
			human.Bytes(float64(size)*float64(max(1, f.NumJobs))))
	}
	part := "Most"
	if devices >= servedFraction*read {
		part = "Part"
	}
	return fmt.Sprintf("%s of what it read came from a cache: the devices read only %s of it. %s.", part,
		human.Percent(devices/read), advice)
}

// leastRead is how much the phase with the fewest bytes read, for streams; for other workloads it is everything.
func (s subject) leastRead(sample result.Sample) int64 {
	least := sample.BytesRead()
	if s.workload.Streams == nil {
		return least
	}
	for _, p := range sample.Phases {
		if p.Reads {
			least = min(least, p.Bytes)
		}
	}
	return least
}

// pageCacheBytes is how much the page cache may hold, 0 if unknown.
func (s subject) pageCacheBytes() int64 {
	if facts := s.samples[0].Baseline; facts != nil {
		return facts.CacheBudgetBytes
	}
	return 0
}

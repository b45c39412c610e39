// SPDX-License-Identifier: Apache-2.0

package caveats

import (
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
)

// depthIgnored finds an ioDepth on files without effect: ZFS has no asynchronous I/O on files, so libaio blocks at
// submission, and only one I/O is in flight at any depth.
func depthIgnored(s subject) string { return s.anyJob(s.depthIgnored) }

func (s subject) depthIgnored(f v1alpha1.FioWorkload) string {
	other := s.variant.Baseline != nil || s.variant.Filesystem() != nil
	isDevice := s.variant.Dataset.IsBlockDevice() && !other
	switch {
	case f.IOEngine != "libaio" || f.IODepth < 2 || isDevice || other && f.Direct:
		return ""
	case other:
		return fmt.Sprintf("ioDepth %d has no effect: without direct, libaio submits one I/O after the other. Set direct, "+
			"or use more jobs (numJobs) instead.", f.IODepth)
	default:
		return fmt.Sprintf("ioDepth %d has no effect: on a ZFS filesystem libaio submits one I/O after the other. Use more "+
			"jobs (numJobs) instead.", f.IODepth)
	}
}

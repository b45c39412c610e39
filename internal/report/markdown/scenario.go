// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/text/human"
)

// describeOperation describes an operation on a pool.
func describeOperation(o v1alpha1.PoolOperation) string {
	switch {
	case o.Scrub != nil:
		return "scrub of the pool"
	case o.Trim != nil:
		return "trim of the pool"
	case o.Reimport != nil:
		return "export and import of the pool"
	case o.Snapshot != nil:
		return human.Plural(int(max(1, o.Snapshot.Count)), "snapshot")
	case o.Offline != nil:
		return "device " + o.Offline.Device + " taken offline"
	case o.Online != nil:
		return "device " + o.Online.Device + " taken online again, until it is in sync"
	case o.Replace != nil:
		return fmt.Sprintf("device %s replaced by %s, until all is on it", o.Replace.Device, o.Replace.With)
	case o.Fill != nil && o.Fill.Overwrites() > 0:
		return fmt.Sprintf("pool filled to %d%%, and records overwritten at random, %d%% of the files' size",
			o.Fill.Percent, o.Fill.Overwrites())
	case o.Fill != nil:
		return fmt.Sprintf("pool filled to %d%%", o.Fill.Percent)
	case o.Send != nil && o.Send.Since != "":
		return "what has changed since workload " + o.Send.Since + " sent into another dataset of the pool"
	case o.Send != nil:
		return "dataset sent into another one of the pool"
	case o.Clone != nil:
		return human.Plural(int(max(1, o.Clone.Count)), "clone")
	}
	return ""
}

// timeColumns say how long operations on the pool took, if there are any.
func timeColumns(entries []model.Entry) []column {
	if !slices.ContainsFunc(entries, func(e model.Entry) bool { return e.Seconds > 0 }) {
		return nil
	}
	return []column{{title: ">Time", cell: func(e model.Entry) string {
		return orDash(e.Seconds*1e9, human.Latency)
	}}}
}

// SPDX-License-Identifier: Apache-2.0

package result

// MonitorsInRounds combines the monitors of several rounds: counts are sums over all rounds, because they are compared
// with what the rounds did together; everything else is from the last round. It is nil if a round was not observed.
func MonitorsInRounds(rounds []Sample) *Monitors {
	var all *Monitors
	for i, r := range rounds {
		if r.Monitors == nil {
			return nil
		}
		now := *r.Monitors
		if i > 0 {
			now.Seconds += all.Seconds
			now.Observations += all.Observations
			now.ARC, now.ZIL, now.Transactions = now.ARC.plus(all.ARC), now.ZIL.plus(all.ZIL),
				now.Transactions.plus(all.Transactions)
			if t := now.Txgs; t != nil && all.Txgs != nil {
				sum := *t
				sum.Synced += all.Txgs.Synced
				now.Txgs = &sum
			}
		}
		all = &now
	}
	return all
}

// plus adds what was counted before.
func (a *ARCUse) plus(before *ARCUse) *ARCUse {
	if a == nil || before == nil {
		return nil
	}
	sum := *a
	sum.DemandHits += before.DemandHits
	sum.DemandMisses += before.DemandMisses
	sum.MetadataHits += before.MetadataHits
	sum.MetadataMisses += before.MetadataMisses
	sum.PrefetchHits += before.PrefetchHits
	sum.PrefetchMisses += before.PrefetchMisses
	sum.L2Hits += before.L2Hits
	sum.L2Misses += before.L2Misses
	return &sum
}

// plus adds what was counted before.
func (z *ZILUse) plus(before *ZILUse) *ZILUse {
	if z == nil || before == nil {
		return nil
	}
	return &ZILUse{Commits: z.Commits + before.Commits, PoolBytes: z.PoolBytes + before.PoolBytes,
		LogBytes: z.LogBytes + before.LogBytes}
}

// plus adds what was counted before.
func (t *ThrottleUse) plus(before *ThrottleUse) *ThrottleUse {
	if t == nil || before == nil {
		return nil
	}
	return &ThrottleUse{Assigned: t.Assigned + before.Assigned, Delayed: t.Delayed + before.Delayed,
		Throttled: t.Throttled + before.Throttled}
}

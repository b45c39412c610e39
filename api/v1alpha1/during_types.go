// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// DuringOperation is done with the pool, or the md array, while the tool of a workload runs. Both start at the same
// time. If the operation ends first, the tool is stopped; if the tool ends first, the operation goes on alone.
//
// +kubebuilder:validation:XValidation:rule=`[has(self.scrub), has(self.trim), has(self.online), has(self.replace)].exists_one(x, x)`,message="exactly one operation must be set: scrub, trim, online or replace"
type DuringOperation struct {
	// scrub is as in pool.
	// +optional
	Scrub *ScrubOperation `json:"scrub,omitempty"`

	// trim is as in pool.
	// +optional
	Trim *TrimOperation `json:"trim,omitempty"`

	// online is as in pool.
	// +optional
	Online *OnlineOperation `json:"online,omitempty"`

	// replace is as in pool.
	// +optional
	Replace *ReplaceOperation `json:"replace,omitempty"`
}

// Operation is what is done, as if it were done alone.
func (o DuringOperation) Operation() *PoolOperation {
	return &PoolOperation{Scrub: o.Scrub, Trim: o.Trim, Online: o.Online, Replace: o.Replace}
}

// OnPool is what a workload does with the pool, alone or while its tool runs; nil for nothing.
func (w Workload) OnPool() *PoolOperation {
	if w.During != nil {
		return w.During.Operation()
	}
	return w.Pool
}

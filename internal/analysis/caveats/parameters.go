// SPDX-License-Identifier: Apache-2.0

package caveats

import (
	"strconv"

	"zfsbench.io/operator/internal/result"
)

// parametersOf returns the module parameters of each variant, by name. All successful trials of a variant have set the
// same parameters.
func parametersOf(trials []result.Trial) map[string]map[string]string {
	of := map[string]map[string]string{}
	for _, t := range trials {
		if t.Failure == nil {
			of[t.Variant] = t.ModuleParameters
		}
	}
	return of
}

// parameter is the value of a parameter of the module zfs during the trials: the value that they set, or else the
// node's. It is empty if unknown.
func (s subject) parameter(name string) string {
	if set, ok := s.parameters[name]; ok {
		return set
	}
	return s.facts.ModuleParameters["zfs."+name]
}

// arcMaxBytes is the maximum size of the ARC during the trials, 0 if unknown. A trial succeeds only with the size that
// it sets.
func (s subject) arcMaxBytes() int64 {
	if set, err := strconv.ParseInt(s.parameters["zfs_arc_max"], 10, 64); err == nil {
		return set
	}
	return s.facts.ARCMaxBytes
}

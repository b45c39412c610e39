// SPDX-License-Identifier: Apache-2.0

package caveats

import (
	"strconv"

	"zfsbench.io/operator/internal/result"
)

// parametersOf are the module parameters of each variant, by its name. All trials of a variant that succeeded have
// set the same.
func parametersOf(trials []result.Trial) map[string]map[string]string {
	of := map[string]map[string]string{}
	for _, t := range trials {
		if t.Failure == nil {
			of[t.Variant] = t.ModuleParameters
		}
	}
	return of
}

// parameter is a parameter of the module zfs as it was during the trials: what they set, or else what the node has.
// Empty if it is not known.
func (s subject) parameter(name string) string {
	if set, ok := s.parameters[name]; ok {
		return set
	}
	return s.facts.ModuleParameters["zfs."+name]
}

// arcMaxBytes is what the ARC could grow to during the trials, 0 if it is not known. A trial succeeds only with the
// size that it asks for.
func (s subject) arcMaxBytes() int64 {
	if set, err := strconv.ParseInt(s.parameters["zfs_arc_max"], 10, 64); err == nil {
		return set
	}
	return s.facts.ARCMaxBytes
}

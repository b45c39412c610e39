// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// leftovers is the end of a sentence about a node that was given up: what may still be there, according to the runner's
// record.
func (n *nodeRun) leftovers() string {
	switch {
	case n.ownsNothing():
		return "; nothing is left on its devices."
	case !n.owned:
		return "; the runner did not confirm that nothing is left there."
	}
	owned, err := result.DecodeOwnership([]byte(n.progressMap.Data[jobspec.KeyOwnership]))
	if err != nil {
		return "; the record of what is left there cannot be read."
	}
	var devices []string
	for _, device := range owned.Devices {
		devices = append(devices, device.Path+device.File)
	}
	what := "pool " + owned.PoolName
	if owned.Baseline != "" {
		what = "the baseline (" + owned.Baseline + ")"
	}
	if len(devices) == 0 {
		return fmt.Sprintf("; the volume of %s may be left there.", what)
	}
	return fmt.Sprintf("; %s and what the runner wrote to %s may be left there.", what, strings.Join(devices, ", "))
}

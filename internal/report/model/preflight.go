// SPDX-License-Identifier: Apache-2.0

package model

import (
	"zfsbench.io/operator/api/v1alpha1"
)

// StoppedByPreflight says whether the preflight's section shows a node's failure.
func (n NodeResults) StoppedByPreflight() bool {
	return n.Failure != nil && n.Preflight != nil && !n.Preflight.Passed &&
		(n.Failure.Reason == v1alpha1.ReasonDeviceRefused || n.Failure.Reason == v1alpha1.ReasonPreflightFailed)
}

// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
)

const (
	// maxDevices is how many devices status holds; all of them are in the results.
	maxDevices = 64
	// maxDeviceMessage bounds, in bytes, the message about one device.
	maxDeviceMessage = 500
)

// devicesOf are the devices of all nodes whose preflight is worth showing, the refused ones first.
func (s *scope) devicesOf() []v1alpha1.DeviceStatus {
	var usable, refused []v1alpha1.DeviceStatus
	for _, n := range s.runs {
		if !n.reportsPreflight() {
			continue
		}
		for _, d := range n.preflight().Devices {
			status := v1alpha1.DeviceStatus{Node: n.name, Name: d.Name, Usable: d.Usable}
			if d.Usable {
				usable = append(usable, status)
				continue
			}
			status.Message = clip(d.Refusal, maxDeviceMessage)
			refused = append(refused, status)
		}
	}
	all := slices.Concat(refused, usable)
	return all[:min(len(all), maxDevices)]
}

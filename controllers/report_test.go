// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"zfsbench.io/operator/internal/storage/csi/localpv"
)

// A recommended StorageClass names nodes as the driver does.
func TestReportNamesTheNodeAsTheDriverDoes(t *testing.T) {
	n := MakeRun().Planned(1).Obj()
	s := &scope{benchmark: MakeBenchmark("default", "a").Obj()}
	if got := s.reportNode(n).DriverID; got != n.name {
		t.Errorf("without the driver's label it is %q, want %q", got, n.name)
	}
	n.node.Labels[localpv.TopologyKey] = "id-7"
	if got := s.reportNode(n).DriverID; got != "id-7" {
		t.Errorf("with the driver's label it is %q", got)
	}
	n.node = nil
	if got := s.reportNode(n).DriverID; got != "" {
		t.Errorf("of a node that is gone it is %q", got)
	}
}

// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

// Disk is a disk that was chosen for a class on a node. Model and Firmware are empty until the node's runner has
// reported them, and if the disk has none.
type Disk struct {
	Name      string `json:"name"`
	Class     string `json:"class"`
	Path      string `json:"path"`
	Serial    string `json:"serial"`
	SizeBytes int64  `json:"sizeBytes"`
	Model     string `json:"model,omitempty"`
	Firmware  string `json:"firmware,omitempty"`
}

// disksOf are the disks of classes on a node, in the order of its plan.
func disksOf(n NodeResults) []Disk {
	var disks []Disk
	for _, d := range n.Plan.Devices {
		if d.Class == "" {
			continue
		}
		disk := Disk{Name: d.Name, Class: d.Class, Path: d.Path, Serial: d.Serial, SizeBytes: d.SizeBytes}
		if n.Preflight != nil {
			i := slices.IndexFunc(n.Preflight.Devices, func(r result.DeviceReport) bool { return r.Name == d.Name })
			if i >= 0 {
				disk.Model, disk.Firmware = n.Preflight.Devices[i].Model, n.Preflight.Devices[i].Firmware
			}
		}
		disks = append(disks, disk)
	}
	return disks
}

// ClassDifference says that the disks of a class are not the same on all nodes.
type ClassDifference struct {
	Class string
	// What differs: model, size or firmware.
	What string
	// Kinds are the different disks, each with its nodes, in the order of the nodes.
	Kinds []DiskKind
}

// DiskKind is what disks of a class are on some nodes. Value has several parts if they differ within a node.
type DiskKind struct {
	Value string
	Nodes []string
}

// ClassDifferences compare the disks of each class across nodes. A node that has not reported a model or a firmware is
// not compared in that.
func (r *Report) ClassDifferences() []ClassDifference {
	classes := map[string]bool{}
	for _, n := range r.Nodes {
		for _, d := range n.Disks {
			classes[d.Class] = true
		}
	}
	aspects := []struct {
		name string
		of   func(Disk) string
	}{
		{"model", func(d Disk) string { return d.Model }},
		{"size", func(d Disk) string {
			return fmt.Sprintf("%s (%d bytes)", human.Bytes(float64(d.SizeBytes)), d.SizeBytes)
		}},
		{"firmware", func(d Disk) string { return d.Firmware }},
	}
	var differences []ClassDifference
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		for _, a := range aspects {
			if kinds := r.kindsOf(class, a.of); len(kinds) > 1 {
				differences = append(differences, ClassDifference{class, a.name, kinds})
			}
		}
	}
	return differences
}

// kindsOf groups the nodes by what their disks of a class are.
func (r *Report) kindsOf(class string, of func(Disk) string) []DiskKind {
	var kinds []DiskKind
	for _, n := range r.Nodes {
		var values []string
		for _, d := range n.Disks {
			if value := of(d); d.Class == class && value != "" {
				values = append(values, value)
			}
		}
		slices.Sort(values)
		value := strings.Join(slices.Compact(values), " and ")
		if value == "" {
			continue
		}
		i := slices.IndexFunc(kinds, func(k DiskKind) bool { return k.Value == value })
		if i < 0 {
			kinds, i = append(kinds, DiskKind{Value: value}), len(kinds)
		}
		kinds[i].Nodes = append(kinds[i].Nodes, n.Name)
	}
	return kinds
}

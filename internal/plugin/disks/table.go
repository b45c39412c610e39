// SPDX-License-Identifier: Apache-2.0

package disks

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plugin/table"
	"zfsbench.io/operator/internal/text/human"
)

// Table has a row for each disk, in the order of the NodeStorages.
func Table(storages []v1alpha1.NodeStorage, now time.Time) metav1.Table {
	t := table.New("Node", "Disk", "Model", "Size", "Serial", "State", "Offered by", "Device", "Transport", "Kind",
		"Sectors", "Firmware", "Aliases", "Seen", "Reason")
	table.Wide(&t, "Serial", "Device", "Transport", "Kind", "Sectors", "Firmware", "Aliases", "Seen")
	for _, s := range storages {
		seen := Age(s, now)
		for _, d := range s.Status.Disks {
			table.Add(&t, s.Name, Name(d), d.Model, Size(d), d.Serial, string(d.Verdict), strings.Join(d.OfferedBy, ","),
				d.Device, d.Transport, kind(d), sectors(d), d.Firmware, strings.Join(d.Aliases, ","), seen, d.Reason)
		}
	}
	return t
}

// Name is the path by which a policy names the disk. A disk without one has the kernel's name.
func Name(d v1alpha1.NodeDisk) string { return cmp.Or(d.Path, d.Device) }

// Age is how long ago the node was looked at, as in kubectl's tables; empty if that has not happened.
func Age(s v1alpha1.NodeStorage, now time.Time) string {
	if s.Status.ObservedAt == nil {
		return ""
	}
	return duration.HumanDuration(now.Sub(s.Status.ObservedAt.Time))
}

// Size is the size for people.
func Size(d v1alpha1.NodeDisk) string {
	if d.SizeBytes == 0 {
		return ""
	}
	return human.Bytes(float64(d.SizeBytes))
}

func kind(d v1alpha1.NodeDisk) string {
	switch {
	case d.SizeBytes == 0: // it was not asked
		return ""
	case d.Rotational:
		return "HDD"
	}
	return "SSD"
}

// sectors are the logical and the physical size of a sector, in bytes.
func sectors(d v1alpha1.NodeDisk) string {
	if d.LogicalSectorBytes == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", d.LogicalSectorBytes, d.PhysicalSectorBytes)
}

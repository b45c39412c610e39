// SPDX-License-Identifier: Apache-2.0

package disks

import (
	"bytes"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/printers"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/testfiles"
)

var seen = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// storage is a node that was looked at, with a condition Current of a status and a reason.
func storage(name string, status metav1.ConditionStatus, reason, message string) v1alpha1.NodeStorage {
	s := v1alpha1.NodeStorage{ObjectMeta: metav1.ObjectMeta{Name: name}}
	s.Status.ObservedAt = &metav1.Time{Time: seen}
	s.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionCurrent, Status: status, Reason: reason,
		Message: message, LastTransitionTime: metav1.Time{Time: seen}}}
	s.Status.Disks = []v1alpha1.NodeDisk{
		{Path: "/dev/disk/by-id/wwn-0x5000c500a0000001", Aliases: []string{"/dev/disk/by-id/ata-ST4000_S1"},
			Device: "/dev/sda", Serial: "S1", SizeBytes: 4_000_787_030_016, Model: "ST4000NM0035", Firmware: "TN03",
			Rotational: true, Transport: "sata", LogicalSectorBytes: 512, PhysicalSectorBytes: 4096,
			Verdict: v1alpha1.DiskBlank, OfferedBy: []string{"storage-0", "team-b"}},
		{Path: "/dev/disk/by-id/nvme-eui.0025385b71b00001", Device: "/dev/nvme0n1", Serial: "N1",
			SizeBytes: 1_920_383_410_176, Model: "SAMSUNG MZQL21T9HCJR", Transport: "nvme", LogicalSectorBytes: 512,
			PhysicalSectorBytes: 512, Verdict: v1alpha1.DiskInUse, Check: "mounts", Reason: "It is mounted at /boot."},
		{Device: "/dev/sdb", Verdict: v1alpha1.DiskRefused, Reason: "It does not answer."},
	}
	return s
}

func TestTable(t *testing.T) {
	all := []v1alpha1.NodeStorage{storage("storage-0", "True", v1alpha1.ReasonDiscovered, ""), {}}
	all[1].Name = "storage-1"
	for file, wide := range map[string]bool{"table.txt": false, "wide.txt": true} {
		var out bytes.Buffer
		table := Table(all, seen.Add(3*time.Hour))
		if err := printers.NewTablePrinter(printers.PrintOptions{Wide: wide}).PrintObj(&table, &out); err != nil {
			t.Fatal(err)
		}
		testfiles.Compare(t, file, out.String())
	}
}

// TestTableShowsForeignTextOnItsLine: a disk cannot add rows, or move the cursor of a terminal.
func TestTableShowsForeignTextOnItsLine(t *testing.T) {
	s := storage("storage-0", "True", v1alpha1.ReasonDiscovered, "")
	s.Status.Disks = s.Status.Disks[:1]
	s.Status.Disks[0].Model = "\x1b[2J\nstorage-0   /dev/disk/by-id/other"
	var out bytes.Buffer
	table := Table([]v1alpha1.NodeStorage{s}, seen)
	if err := printers.NewTablePrinter(printers.PrintOptions{}).PrintObj(&table, &out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Count(text, "\n") != 2 || strings.Contains(text, "\x1b") {
		t.Errorf("the table is %q", text)
	}
}

func TestNotes(t *testing.T) {
	failed := "The discovery failed: its Job ended without a report."
	tests := map[string]struct {
		storage v1alpha1.NodeStorage
		want    []string
	}{
		"current": {storage("a", "True", v1alpha1.ReasonDiscovered, "The node was looked at."), nil},
		"new":     {v1alpha1.NodeStorage{}, []string{"has not been looked at yet", "--wait"}},
		"failed": {storage("a", "False", v1alpha1.ReasonDiscoveryFailed, failed),
			[]string{"a: The list is 3h old", failed, "kubectl zfsbench devices a --discover", v1alpha1.AnnotationDiscover}},
		"failed the first time": {func() v1alpha1.NodeStorage {
			s := storage("a", "False", v1alpha1.ReasonDiscoveryFailed, failed)
			s.Status.ObservedAt = nil
			return s
		}(), []string{"has not been looked at yet", failed, "devices a --discover --wait"}},
		"a benchmark": {storage("a", "False", v1alpha1.ReasonBenchmarkRuns, "A benchmark uses the node."),
			[]string{"a: The list is 3h old", "A benchmark uses the node."}},
		"too many disks": {func() v1alpha1.NodeStorage {
			s := storage("a", "True", v1alpha1.ReasonDiscovered, "")
			s.Status.OmittedDisks = 2
			return s
		}(), []string{"2 more disks"}},
		"no disks": {func() v1alpha1.NodeStorage {
			s := storage("a", "True", v1alpha1.ReasonDiscovered, "")
			s.Status.Disks = nil
			return s
		}(), []string{"No disks"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { contains(t, Note(test.storage, seen.Add(3*time.Hour)), test.want) })
	}
}

func TestMissing(t *testing.T) {
	nodes := make([]corev1.Node, 2)
	nodes[0].Name, nodes[1].Name = "new", "unlabelled"
	nodes[0].Labels = map[string]string{v1alpha1.LabelNodeAllowed: "true"}
	const command = "`kubectl label node unlabelled zfsbench.io/allowed=true`"
	tests := map[string]struct {
		node  string
		nodes []corev1.Node
		want  []string
	}{
		"unknown nodes": {"unlabelled", nil, []string{"no NodeStorage", command}},
		"no label":      {"unlabelled", nodes, []string{"does not look at the node", command}},
		"no such node":  {"other", nodes, []string{"Node other does not exist."}},
		"a new label":   {"new", nodes, []string{"has not made its NodeStorage yet", "devices new --wait"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { contains(t, Missing(test.node, test.nodes), test.want) })
	}
}

func contains(t *testing.T, text string, want []string) {
	t.Helper()
	for _, part := range want {
		if !strings.Contains(text, part) {
			t.Errorf("%q has no %q", text, part)
		}
	}
	if len(want) == 0 && text != "" {
		t.Errorf("%q, want nothing", text)
	}
}

func TestIsDone(t *testing.T) {
	discovered := storage("a", "True", v1alpha1.ReasonDiscovered, "")
	failed := storage("a", "False", v1alpha1.ReasonDiscoveryFailed, "The discovery failed.")
	again := storage("a", "False", v1alpha1.ReasonDiscovering, "")
	asked := func(s v1alpha1.NodeStorage, observed string, attempted time.Duration) v1alpha1.NodeStorage {
		s.Annotations = map[string]string{v1alpha1.AnnotationDiscover: "2"}
		s.Status.ObservedRequest = observed
		s.Status.AttemptedAt = &metav1.Time{Time: seen.Add(attempted)}
		return s
	}
	tests := map[string]struct {
		storage, before v1alpha1.NodeStorage
		done            bool
		err             string
	}{
		"nothing was asked":          {storage: discovered, done: true},
		"not looked at yet":          {storage: v1alpha1.NodeStorage{}},
		"not taken up yet":           {storage: asked(discovered, "1", -time.Minute), before: discovered},
		"running":                    {storage: asked(discovered, "2", time.Minute), before: discovered},
		"ended":                      {storage: asked(discovered, "2", -time.Second), before: discovered, done: true},
		"had failed before, running": {storage: asked(again, "2", time.Minute), before: failed},
		"failed again": {storage: asked(failed, "2", time.Minute), before: failed,
			err: "a: The discovery failed."},
		"failed now": {storage: asked(failed, "2", time.Minute), before: discovered,
			err: "a: The discovery failed."},
		"failed, nothing asked": {storage: failed, err: "a: The discovery failed."},
		"a benchmark": {storage: storage("a", "False", v1alpha1.ReasonBenchmarkRuns, ""),
			err: "a: a benchmark uses the node, which is looked at again after it"},
		"after a benchmark": {storage: storage("a", "Unknown", v1alpha1.ReasonBenchmarkEnded, "")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			done, err := IsDone(test.storage, test.before)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if done != test.done || text != test.err {
				t.Errorf("done %v, error %q; want %v, %q", done, text, test.done, test.err)
			}
		})
	}
}

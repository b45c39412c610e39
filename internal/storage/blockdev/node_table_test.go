// SPDX-License-Identifier: Apache-2.0

//go:build node

package blockdev

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// deviceCase is a disk that must not be overwritten.
type deviceCase struct {
	// put makes the disk what the case says; undo ends what it started, so that the disk can be wiped.
	put func(t *testing.T, n *nodeDisk) (undo func())
	// want are the steps that may refuse it, text is part of the message besides the device.
	want []Step
	text string
	// blank says that the disk is blank, and what is promised about it is wrong. A discovery knows of no promise.
	blank bool
}

// static is what a tool leaves on the disk and no process goes on with.
func static(put func(t *testing.T, n *nodeDisk)) func(*testing.T, *nodeDisk) func() {
	return func(t *testing.T, n *nodeDisk) func() { put(t, n); return func() {} }
}

// TestNodeDeviceTable puts the disk into every state in which it is not the benchmark's: every one is refused, by name
// and with the cause, and not a byte of the disk changes. The last line it logs counts cases and losses; a loss is a
// case that was not refused or a disk that was written to.
func TestNodeDeviceTable(t *testing.T) {
	n := newNodeDisk(t)
	cases := map[string]deviceCase{}
	for _, group := range []map[string]deviceCase{signedCases(), tableCases(), unsignedCases(), poolCases(), usedCases(),
		heldCases(), otherDiskCases()} {
		maps.Copy(cases, group)
	}
	losses := 0
	for name, c := range cases {
		if !t.Run(name, func(t *testing.T) { n.refuse(t, c) }) {
			losses++
		}
	}
	n.mustBeBlank(t)
	fmt.Printf("device table: %d cases, %d losses\n", len(cases), losses)
}

func (n *nodeDisk) refuse(t *testing.T, c deviceCase) {
	t.Helper()
	promised := n.want
	undo := c.put(t, n)
	t.Cleanup(func() {
		undo()
		n.want = promised
		n.wipe(t)
	})
	n.settle(t)
	before := n.print(t)
	n.tryAll(t, c)
	if after := n.print(t); after != before {
		t.Errorf("the refused disk was changed:\nbefore %s\nafter  %s", before, after)
	}
}

// tryAll asks for everything that would write, as if the guard had been asked before and had said yes.
func (n *nodeDisk) tryAll(t *testing.T, c deviceCase) {
	t.Helper()
	_, err := n.guard.Check(t.Context(), n.want)
	wantStep(t, err, c.want...)
	if text := err.Error(); !strings.Contains(text, n.want.Name) || !strings.Contains(text, n.want.Path) ||
		!strings.Contains(text, c.text) {
		t.Errorf("the message does not name device and cause %q: %s", c.text, text)
	}
	n.survey(t, c.blank)
	_, err = n.guard.Partition(t.Context(), Disk{Want: n.want, SectorBytes: 512}, n.owned(), true)
	wantStep(t, err, c.want...)
	var refusal *Refusal
	// A disk without anything at its ends has nothing to release.
	if err := n.guard.Release(t.Context(), n.owned(), nodeComment); err != nil && !errors.As(err, &refusal) {
		t.Errorf("release: %v", err)
	}
	if err := n.guard.Prove(t.Context(), n.owned()); !errors.As(err, &refusal) {
		t.Errorf("a disk with a foreign table is proven to be ours: %v", err)
	}
}

// survey looks at the disk as a discovery does, which must call it blank if and only if it is.
func (n *nodeDisk) survey(t *testing.T, blank bool) {
	t.Helper()
	device, err := filepath.EvalSymlinks(n.want.Path)
	if err != nil { // it is promised at a path that is not there
		device, err = filepath.EvalSymlinks(n.path)
	}
	if err != nil {
		t.Fatal(err)
	}
	guard := *n.guard
	guard.node.devices = readOnly{guard.node.devices}
	s := newSurvey(&guard)
	// An emulated node is slow, and a disk that is refused for that proves nothing.
	s.patience = surveyPatience{answer: time.Minute, pools: 5 * time.Minute, check: 5 * time.Minute, all: 10 * time.Minute}
	all, serialsErr, err := s.list(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(f Found) bool { return f.Device == device })
	if i < 0 {
		t.Fatalf("a discovery does not list %s", device)
	}
	found := all[i : i+1] // the others take long
	s.judge(t.Context(), found, serialsErr)
	if refusal := found[0].Refusal; blank != (refusal == nil) || errors.Is(refusal, errNoAnswer) {
		t.Errorf("a discovery says %v, want blank %t", refusal, blank)
	}
}

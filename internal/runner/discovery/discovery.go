// SPDX-License-Identifier: Apache-2.0

package discovery

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/preflight"
	"zfsbench.io/operator/internal/storage/blockdev"
	"zfsbench.io/operator/internal/storage/filesystem"
	"zfsbench.io/operator/internal/text/human"
)

// Node is what a discovery asks. Everything of it only reads.
type Node struct {
	Survey interface {
		Disks(ctx context.Context) ([]blockdev.Found, error)
		Pools(ctx context.Context) ([]string, error)
	}
	OpenZFS interface {
		Versions(ctx context.Context) (userland, module string, err error)
	}
	Facts interface {
		Facts() (result.NodeFacts, error)
	}
	Filesystems interface {
		Find(ctx context.Context, f filesystem.Filesystem) (version string, err error)
	}
	Tools func(ctx context.Context) []preflight.ToolVersion
	// Stat says what a directory of the host is on; it fails for one that does not exist.
	Stat func(directory string) (preflight.Filesystem, error)
	// Scratch is the directory for files in place of disks, as a path of the host.
	Scratch string
}

// systemPatience is how long programs and the scratch directory may take to answer. It takes up to 12 s more to end a
// program; together that is no longer than a survey of disks may take.
const systemPatience = 30 * time.Second

// Discover finds out what the node has. Only a failure to list disks is an error; everything else that cannot be found
// out is left out. It asks for everything at once, so that a dead disk is reported within a minute.
func Discover(ctx context.Context, n Node) (v1alpha1.NodeInventory, error) {
	var found v1alpha1.NodeInventory
	var disks []blockdev.Found
	var err error
	var all sync.WaitGroup
	all.Go(func() { disks, err = n.Survey.Disks(ctx) })
	all.Go(func() { found.System = n.system(ctx) })
	all.Go(func() { found.Pools, _ = n.Survey.Pools(ctx) }) // without a loaded module there are none
	all.Wait()
	if err != nil {
		return v1alpha1.NodeInventory{}, err
	}
	for _, d := range disks {
		found.Disks = append(found.Disks, describe(d))
	}
	slices.SortStableFunc(found.Disks, func(a, b v1alpha1.NodeDisk) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Device, b.Device))
	})
	return found, nil
}

func (n Node) system(ctx context.Context) v1alpha1.NodeSystem {
	ctx, cancel := context.WithTimeout(ctx, systemPatience)
	defer cancel()
	scratch := make(chan v1alpha1.NodeScratch, 1)
	go func() { scratch <- n.scratch() }() // it may be on a network filesystem that never answers
	var s v1alpha1.NodeSystem
	s.OpenZFS, s.OpenZFSModule, _ = n.OpenZFS.Versions(ctx)
	facts, _ := n.Facts.Facts() // those that could be read
	s.Kernel, s.MemoryBytes, s.ARCMaxBytes = facts.Kernel, facts.MemoryBytes, facts.ARCMaxBytes
	for _, t := range n.Tools(ctx) {
		s.Tools = append(s.Tools, tool(t.Name, t.Version, t.Err))
	}
	for _, f := range filesystem.All() {
		version, err := n.Filesystems.Find(ctx, f)
		s.Filesystems = append(s.Filesystems, tool(string(f.Type), version, err))
	}
	select {
	case s.Scratch = <-scratch:
	case <-ctx.Done():
		s.Scratch.Directory = n.Scratch
	}
	return s
}

// tool has a version or a problem.
func tool(name, version string, err error) v1alpha1.NodeTool {
	if err != nil {
		return v1alpha1.NodeTool{Name: name, Problem: human.Sentence(err.Error())}
	}
	return v1alpha1.NodeTool{Name: name, Version: version}
}

// scratch looks at the nearest directory that exists: the scratch directory is made by the first benchmark.
func (n Node) scratch() v1alpha1.NodeScratch {
	found := v1alpha1.NodeScratch{Directory: n.Scratch}
	for directory := n.Scratch; ; directory = filepath.Dir(directory) {
		if on, err := n.Stat(directory); err == nil {
			found.Filesystem, found.FreeBytes = on.Kind, on.FreeBytes
			return found
		}
		if directory == filepath.Dir(directory) {
			return found
		}
	}
}

// describe is a disk as the API shows it.
func describe(d blockdev.Found) v1alpha1.NodeDisk {
	disk := v1alpha1.NodeDisk{
		Path: d.Path, Aliases: d.Aliases, Device: d.Device, Serial: d.Serial, SizeBytes: d.SizeBytes,
		Model: strings.TrimSpace(d.Model), Firmware: d.Firmware, Rotational: d.Rotational, Transport: d.Transport,
		LogicalSectorBytes: d.LogicalSectorBytes, PhysicalSectorBytes: d.PhysicalSectorBytes, Discard: d.Discard,
		VolatileWriteCache: d.VolatileWriteCache, Verdict: v1alpha1.DiskBlank, UnsignedData: d.UnsignedData,
	}
	var refusal *blockdev.Refusal
	switch {
	case d.InUse():
		disk.Verdict = v1alpha1.DiskInUse
	case d.Refusal != nil:
		disk.Verdict = v1alpha1.DiskRefused
	case d.Path == "":
		disk.Verdict, disk.Check = v1alpha1.DiskRefused, string(blockdev.StepPath)
		disk.Reason = "It has no path below /dev/disk/by-id, so no policy can name it."
	}
	if errors.As(d.Refusal, &refusal) {
		disk.Check, disk.Reason = string(refusal.Step), human.Sentence(refusal.Cause.Error())
	}
	return disk
}

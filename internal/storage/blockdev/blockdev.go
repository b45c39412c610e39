// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"fmt"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/storage/zfs"
)

// Want is a disk as the administrator's policy promises it.
type Want struct {
	// Name is the benchmark's name for the device, for messages.
	Name string
	// Path is a stable path below /dev.
	Path string
	// Serial is what `lsblk -dno SERIAL` prints.
	Serial    string
	SizeBytes int64
	// OverwriteUnsigned accepts data without any signature in the disk, except in its first and last MiB.
	OverwriteUnsigned bool
	// FullScan requires that Scan has read every byte before Partition writes.
	FullScan bool
}

// Disk is a disk that the guard found blank, free and as promised.
type Disk struct {
	Want
	// Device is the kernel's path, for example /dev/sda.
	Device string
	Number Number
	// SectorBytes is the size of a logical sector.
	SectorBytes int64
	// Model is the disk's own model name, and Firmware the revision of its firmware, or empty; no decision depends on
	// them.
	Model, Firmware string
	// WWID is the world wide identifier, or empty if the disk has none.
	WWID string
	// Sequence is the kernel's number for this appearance of the disk: a disk that was exchanged has another one. It is
	// empty before Linux 5.15.
	Sequence string
}

// Verdict is the result of the checks of one disk. Refusal is nil or a *Refusal. Disk holds what is known about the
// disk so far.
type Verdict struct {
	Want    Want
	Disk    Disk
	Refusal error
}

// Guard decides about disks.
type Guard struct {
	node  machine
	local hostexec.Runner
	host  hostexec.Runner
	zfs   *zfs.Client
	pools *recent[[]poolDevice]
	// opensBefore are the open devices while disks are partitioned, opensAfter while they are released.
	opensBefore, opensAfter *recent[openDevices]
	// residues distinguish data that benchmarks left from other data.
	residues Residues
	// volumes are the paths that Kubernetes may give to pods.
	volumes []Volume
}

// New returns a guard for this machine. blkid, wipefs and lsblk run with local; zpool, zdb and udevadm with host. The
// process needs root, and the host's /dev, /run/udev and process namespace. The guard refuses every disk that one of
// the volumes is on.
func New(local, host hostexec.Runner, residues Residues, volumes ...Volume) *Guard {
	g := newGuard(machine{root: "/", devices: linux{}}, local, host, residues)
	g.volumes = volumes
	return g
}

func newGuard(n machine, local, host hostexec.Runner, residues Residues) *Guard {
	return &Guard{
		node: n, local: local, host: host, zfs: zfs.New(host), residues: residues,
		pools: &recent[[]poolDevice]{}, opensBefore: &recent[openDevices]{}, opensAfter: &recent[openDevices]{},
	}
}

// Check checks one disk. The error is nil or a *Refusal. It writes nothing.
func (g *Guard) Check(ctx context.Context, want Want) (Disk, error) {
	verdict := g.CheckAll(ctx, []Want{want})[0]
	return verdict.Disk, verdict.Refusal
}

// CheckAll checks several disks of one benchmark, which must be different disks. It reads the state of the node only
// once. It writes nothing.
func (g *Guard) CheckAll(ctx context.Context, wants []Want) []Verdict {
	look, err := g.readHostState(ctx, 0)
	return g.checkAll(ctx, wants, look, err)
}

// checkAll is CheckAll with the state of the node, or with the error why that is not known.
func (g *Guard) checkAll(ctx context.Context, wants []Want, look *hostState, err error) []Verdict {
	verdicts := make([]Verdict, len(wants))
	for i, want := range wants {
		verdicts[i].Want = want
		if err != nil {
			verdicts[i].Refusal = &Refusal{Device: want.Name, Path: want.Path, Step: StepHost,
				Cause: fmt.Errorf("the node cannot be examined: %w", err)}
			continue
		}
		verdicts[i].Disk, verdicts[i].Refusal = g.check(ctx, look, want)
	}
	refuseDuplicates(verdicts)
	return verdicts
}

// step is one check of the guard. run returns nil, or why the disk is refused.
type step struct {
	name Step
	run  func(ctx context.Context, look *hostState, disk *Disk) error
}

// identification are the steps that find out which disk a path means; each fills in part of the disk.
func (g *Guard) identification() []step {
	return []step{
		{StepHost, g.checkHost},
		{StepPath, g.checkPath},
		{StepKind, g.checkKind},
		{StepSerial, g.checkSerial},
		{StepSize, g.checkSize},
	}
}

// freedom are the steps that find out whether anybody uses the disk or has data on it. Cheap steps that do not open the
// device come first.
func (g *Guard) freedom() []step {
	return []step{
		{StepReadOnly, g.checkReadOnly},
		{StepPartitions, g.checkPartitions},
		{StepHolders, g.checkHolders},
		{StepSystem, g.checkSystem},
		{StepMounts, g.checkMounts},
		{StepSwap, g.checkSwap},
		{StepBacking, g.checkBacking},
		{StepVolumes, g.checkVolumes},
		{StepPools, g.checkPools},
		{StepSignatures, g.checkSignatures},
		{StepContent, g.checkContent},
		{StepLabels, g.checkLabels},
		{StepReservation, g.checkReservation},
		{StepOpen, g.checkOpen},
	}
}

// users are the steps that find out whether anybody uses a disk that is ours and has partitions and data.
func (g *Guard) users() []step {
	return []step{
		{StepHolders, g.checkHolders},
		{StepMounts, g.checkMounts},
		{StepSwap, g.checkSwap},
		{StepBacking, g.checkBacking},
		{StepOpen, g.checkOpen},
	}
}

// check runs all steps in order until one refuses.
func (g *Guard) check(ctx context.Context, look *hostState, want Want) (Disk, error) {
	disk := Disk{Want: want}
	err := run(ctx, append(g.identification(), g.freedom()...), look, &disk)
	return disk, err
}

// identify finds the disk that a path means and nothing else.
func (g *Guard) identify(ctx context.Context, look *hostState, want Want) (Disk, error) {
	disk := Disk{Want: want}
	if err := run(ctx, g.identification(), look, &disk); err != nil {
		return Disk{}, err
	}
	return disk, nil
}

// run runs steps until one refuses, and says which.
func run(ctx context.Context, steps []step, look *hostState, disk *Disk) error {
	for _, step := range steps {
		err := context.Cause(ctx)
		if err == nil {
			err = step.run(ctx, look, disk)
		}
		if err != nil {
			return &Refusal{Device: disk.Name, Path: disk.Path, Step: step.name, Cause: err}
		}
	}
	return nil
}

// refuseDuplicates refuses a disk that the benchmark lists under several names.
func refuseDuplicates(verdicts []Verdict) {
	first := map[Number]string{}
	for i := range verdicts {
		verdict := &verdicts[i]
		if verdict.Refusal != nil {
			continue
		}
		if name, seen := first[verdict.Disk.Number]; seen {
			cause := fmt.Errorf("it is the same disk as device %s", name)
			verdict.Refusal = &Refusal{Device: verdict.Want.Name, Path: verdict.Want.Path, Step: StepKind, Cause: cause}
			continue
		}
		first[verdict.Disk.Number] = verdict.Want.Name
	}
}

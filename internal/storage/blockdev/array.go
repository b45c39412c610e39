// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/mdraid"
)

const (
	// arrayPatience is how long an array may still be in use after its last user is gone, and how long udev may work on
	// its devices.
	arrayPatience = 30 * time.Second
	// arrayPoll is the time between two attempts. Each attempt proves everything again.
	arrayPoll = 2 * time.Second
)

// ForeignArrayError is an md array, or a part of one, that is not provably the benchmark's. It is not touched.
type ForeignArrayError struct {
	// Device is the array, or the partition that is in one.
	Device string
	Cause  error
}

func (e *ForeignArrayError) Error() string {
	return fmt.Sprintf("%s is not provably this benchmark's and is not touched: %v", e.Device, e.Cause)
}

// Unwrap returns the cause.
func (e *ForeignArrayError) Unwrap() error { return e.Cause }

// FindArray returns the block device of the md array that contains partitions of recorded disks, whatever its name, and
// proves that it is the recorded one. It returns an empty name if they are in no array. It writes nothing.
func (g *Guard) FindArray(ctx context.Context, owned []result.OwnedDevice) (device string, err error) {
	found, err := g.findMembers(ctx, owned)
	if err != nil {
		return "", err
	}
	arrays, err := found.arrays()
	if err != nil || len(arrays) == 0 {
		return "", err
	}
	if len(arrays) > 1 {
		return "", fmt.Errorf("the recorded partitions are in several md arrays: %s", names(arrays))
	}
	return devicePath(arrays[0]), g.proveArray(ctx, found, arrays[0])
}

// Dismantle stops the recorded md array, whatever its name and state, and clears the member superblocks from its
// partitions. It may be repeated. If udev assembles the array again meanwhile, Dismantle stops it again, for a limited
// time. It does not touch an array or partition that is in use, or not provably the benchmark's.
func (g *Guard) Dismantle(ctx context.Context, owned []result.OwnedDevice) error {
	var final error
	err := retryEvery(ctx, arrayPoll, arrayPatience, func() error {
		err := g.tryDismantle(ctx, owned)
		var foreign *ForeignArrayError
		if errors.As(err, &foreign) {
			final = err
			return nil
		}
		return err
	})
	return errors.Join(final, err)
}

func (g *Guard) tryDismantle(ctx context.Context, owned []result.OwnedDevice) error {
	if err := g.stopArrays(ctx, owned); err != nil {
		return err
	}
	found, err := g.findAsMembersOfNone(ctx, owned)
	if err != nil {
		return err
	}
	// The first round proves all partitions, because nothing is erased if one belongs to somebody else. The second
	// round proves each one again right before it erases it, because time has passed.
	for _, erase := range []bool{false, true} {
		for _, m := range found.list {
			isMember, err := g.proveMember(ctx, found, m)
			if err != nil {
				return fmt.Errorf("device %s: %w", m.disk, err)
			}
			if !erase || !isMember {
				continue
			}
			// mdadm fails if the kernel has given the partition to anybody meanwhile.
			if _, err := g.host.Run(ctx, hostexec.Cmd{Args: []string{mdraid.Tool, "--zero-superblock",
				devicePath(m.block)}}); err != nil {
				return err
			}
		}
	}
	_, err = g.findAsMembersOfNone(ctx, owned)
	return err
}

// stopArrays stops every array that a recorded partition is in.
func (g *Guard) stopArrays(ctx context.Context, owned []result.OwnedDevice) error {
	found, err := g.findMembers(ctx, owned)
	if err != nil {
		return err
	}
	arrays, err := found.arrays()
	if err != nil {
		return err
	}
	for _, array := range arrays {
		if err := g.proveArray(ctx, found, array); err != nil {
			return err
		}
		if err := g.checkArrayUnused(ctx, found, array); err != nil {
			return fmt.Errorf("md array %s is not stopped: %w", devicePath(array), err)
		}
		// mdadm fails if the kernel has given the array to anybody. If another array has got the name since, mdadm
		// stops it only if nobody uses it, and its data stays.
		if _, err := g.host.Run(ctx, hostexec.Cmd{Args: []string{mdraid.Tool, "--stop", devicePath(array)}}); err != nil {
			return err
		}
	}
	return nil
}

// findAsMembersOfNone requires that the recorded partitions are in no array.
func (g *Guard) findAsMembersOfNone(ctx context.Context, owned []result.OwnedDevice) (members, error) {
	g.settle(ctx)
	found, err := g.findMembers(ctx, owned)
	if err != nil {
		return members{}, err
	}
	arrays, err := found.arrays()
	if err == nil && len(arrays) > 0 {
		err = fmt.Errorf("its partitions have been assembled again, as %s", names(arrays))
	}
	return found, err
}

// member is a recorded partition that may be in an array.
type member struct {
	// disk is the benchmark's name for the partition's disk, name its name for the partition.
	disk, name string
	partition  partition
	block      block
}

// members are all such partitions on disks that are provably the benchmark's. tree is the kernel's view of all block
// devices after that proof.
type members struct {
	list []member
	uuid mdraid.UUID
	tree tree
	// unproved says, for each of the other recorded disks, why nothing on it counts as the benchmark's.
	unproved []error
}

// findMembers finds the partitions that may be in the recorded array. A disk that is missing, or does not have the
// recorded partition table, has none: anything else on it does not belong to the benchmark.
func (g *Guard) findMembers(ctx context.Context, owned []result.OwnedDevice) (members, error) {
	var found members
	for _, d := range owned {
		c, err := g.find(ctx, d)
		if err == nil {
			err = g.proveTable(c)
		}
		if err != nil {
			found.unproved = append(found.unproved, err)
			continue
		}
		for i, p := range c.table.partitions {
			if p.array == (mdraid.UUID{}) || c.seen[i] == nil {
				continue
			}
			found.uuid = p.array
			found.list = append(found.list, member{d.Name, d.Partitions[i].Name, p, *c.seen[i]})
		}
	}
	if err := context.Cause(ctx); err != nil {
		return members{}, err
	}
	var err error
	found.tree, err = g.node.readTree()
	return found, err
}

// has says whether one of the partitions has this kernel name.
func (m members) has(name string) bool {
	return slices.ContainsFunc(m.list, func(m member) bool { return m.block.Name == name })
}

// arrays are the md arrays that contain any of the partitions, by name. It is an error if anything else is made of one.
func (m members) arrays() ([]block, error) {
	var holders []string
	for _, each := range m.list {
		now, found := m.tree[each.block.Number]
		if !found || now.Name != each.block.Name {
			return nil, fmt.Errorf("partition %s disappeared during the check", devicePath(each.block))
		}
		holders = append(holders, now.Holders...)
	}
	var arrays []block
	for _, name := range unique(holders) {
		holder, found := m.tree.byName(name)
		switch {
		case !found:
			return nil, fmt.Errorf("%s disappeared during the check", name)
		case !holder.IsArray:
			return nil, &ForeignArrayError{"/dev/" + name,
				errors.New("it is made of the benchmark's partitions, but is not an md array")}
		}
		arrays = append(arrays, holder)
	}
	return arrays, nil
}

// stranger is the error for a device of an array that is not one of the partitions. It may be on a recorded disk that
// cannot be checked now.
func (m members) stranger(name string) error {
	err := fmt.Errorf("its device /dev/%s is not a recorded partition", name)
	if len(m.unproved) > 0 {
		err = fmt.Errorf("%w, as far as the recorded disks can be checked; plug in again any disk that was removed: %w",
			err, errors.Join(m.unproved...))
	}
	return err
}

func devicePath(b block) string { return "/dev/" + b.Name }

// proveArray returns nil if every device of an array is a recorded partition whose superblock names the recorded array,
// and mdadm says the same about the array.
func (g *Guard) proveArray(ctx context.Context, found members, array block) error {
	foreign := func(err error) error { return &ForeignArrayError{"md array " + devicePath(array), err} }
	if len(array.Slaves) == 0 {
		return fmt.Errorf("the devices of md array %s are not known", devicePath(array))
	}
	for _, name := range array.Slaves {
		if !found.has(name) {
			return foreign(found.stranger(name))
		}
		is, err := g.examineMember(ctx, "/dev/"+name)
		if err != nil {
			return err
		}
		if is != found.uuid {
			return foreign(fmt.Errorf("its device /dev/%s says that the array's UUID is %s, recorded is %s",
				name, is, found.uuid))
		}
	}
	is, known, err := g.detailArray(ctx, devicePath(array))
	switch {
	case err != nil:
		return err
	case known && is != found.uuid:
		return foreign(fmt.Errorf("its UUID is %s, recorded is %s", is, found.uuid))
	case !known && array.SizeBytes > 0:
		return foreign(errors.New("mdadm does not say its UUID"))
	}
	return nil
}

// checkArrayUnused requires an array on which nothing is built, which no process on the node has mounted or open, and
// which holds nothing but the recorded filesystem. An array that does not run has no size: nobody can use it or read
// it.
func (g *Guard) checkArrayUnused(ctx context.Context, found members, array block) error {
	look, err := g.readHostState(ctx, poolListAge)
	if err != nil {
		return fmt.Errorf("the node cannot be examined: %w", err)
	}
	if now := look.tree[array.Number]; now.Name != array.Name {
		return errors.New("it disappeared during the check")
	}
	as := &Disk{Device: devicePath(array), Number: array.Number}
	for _, check := range []func(context.Context, *hostState, *Disk) error{
		g.checkPartitions, checkNothingAbove, g.checkMounts, g.checkSwap, g.checkBacking,
	} {
		if err := check(ctx, look, as); err != nil {
			return err
		}
	}
	open, err := look.open()
	if err == nil {
		err = g.checkFree(look.tree, as, open)
	}
	if err != nil || array.SizeBytes == 0 {
		return err
	}
	return g.checkInsideArray(ctx, found, array)
}

// checkNothingAbove requires a device of which no array, mapping, cache or replica is made.
func checkNothingAbove(_ context.Context, look *hostState, disk *Disk) error {
	if holders := look.tree[disk.Number].Holders; len(holders) > 0 {
		return fmt.Errorf("it is part of %s", strings.Join(holders, ", "))
	}
	return nil
}

// checkInsideArray makes sure that nobody else has put anything onto the array: it holds nothing, or the filesystem
// whose UUID was recorded before it was made.
func (g *Guard) checkInsideArray(ctx context.Context, found members, array block) error {
	signatures, err := g.wipefs(ctx, devicePath(array))
	if err != nil {
		return err
	}
	for _, s := range signatures {
		if !found.list[0].partition.mayHoldFilesystem(s) {
			return &ForeignArrayError{devicePath(array), errors.New("it holds " + s.notOurs())}
		}
	}
	return nil
}

// proveMember says whether the superblock of a partition that is in no array names the recorded array. Anything else in
// the partition is an error.
func (g *Guard) proveMember(ctx context.Context, found members, m member) (isMember bool, err error) {
	device := devicePath(m.block)
	signatures, err := g.wipefs(ctx, device)
	if err != nil {
		return false, err
	}
	for _, s := range signatures {
		if !m.partition.mayHold(s, false) {
			return false, &ForeignArrayError{device, errors.New("it holds " + s.notOurs())}
		}
		isMember = isMember || s.Type == raidMember
	}
	if !isMember {
		return false, nil
	}
	is, err := g.examineMember(ctx, device)
	if err == nil && is != found.uuid {
		err = &ForeignArrayError{device, fmt.Errorf("it is a member of array %s, recorded is %s", is, found.uuid)}
	}
	return isMember, err
}

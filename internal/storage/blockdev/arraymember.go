// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/result"
)

// ArrayMember is a recorded partition that is, was or may become a member of the recorded md array.
type ArrayMember struct {
	// Array and Device are the kernel's names of the block devices of the array and the partition.
	Array, Device string
	// IsIn says that the partition is in the array, in use or not.
	IsIn bool
	// WasIn says that the partition is in no array, but has a superblock of the recorded one.
	WasIn bool
}

// FindMember finds a recorded partition by its name, and the md array of the recorded partitions. It proves both: the
// array is the recorded one, and the partition is either in it, or in no array. In the second case the partition is
// empty or has a superblock of that array. It writes nothing.
func (g *Guard) FindMember(ctx context.Context, owned []result.OwnedDevice, name string) (ArrayMember, error) {
	found, err := g.findMembers(ctx, owned)
	if err != nil {
		return ArrayMember{}, err
	}
	array, err := g.onlyArray(ctx, found)
	if err != nil {
		return ArrayMember{}, err
	}
	i := slices.IndexFunc(found.list, func(m member) bool { return m.name == name })
	if i < 0 {
		return ArrayMember{}, fmt.Errorf("device %s is missing, or is not provably a partition of this benchmark's md array",
			name)
	}
	m := found.list[i]
	is := ArrayMember{Array: devicePath(array), Device: devicePath(m.block),
		IsIn: slices.Contains(array.Slaves, m.block.Name)}
	if is.IsIn {
		return is, nil
	}
	is.WasIn, err = g.proveMember(ctx, found, m)
	if err == nil && !is.WasIn {
		err = g.checkNothingIn(ctx, is.Device)
	}
	return is, err
}

// onlyArray is the only array that the partitions are in, proved to be the recorded one.
func (g *Guard) onlyArray(ctx context.Context, found members) (block, error) {
	arrays, err := found.arrays()
	switch {
	case err != nil:
		return block{}, err
	case len(arrays) == 0:
		return block{}, errors.New("the recorded md array is not there")
	case len(arrays) > 1:
		return block{}, fmt.Errorf("the recorded partitions are in several md arrays: %s", names(arrays))
	}
	return arrays[0], g.proveArray(ctx, found, arrays[0])
}

// checkNothingIn requires a partition without any signature. Not even the recorded filesystem may be in it, because
// that is on the array.
func (g *Guard) checkNothingIn(ctx context.Context, device string) error {
	signatures, err := g.wipefs(ctx, device)
	if err == nil && len(signatures) > 0 {
		err = &ForeignArrayError{device, errors.New("it holds " + signatures[0].notOurs())}
	}
	return err
}

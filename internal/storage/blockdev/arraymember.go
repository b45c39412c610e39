// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"zfsbench.io/operator/internal/result"
)

// ArrayMember is a recorded partition that the recorded md array has, had or may get.
type ArrayMember struct {
	// Array and Device are the block devices of the array and of the partition, as the kernel names them.
	Array, Device string
	// IsIn says that the array has it, in use or not.
	IsIn bool
	// WasIn says that it is in no array, and says of itself that it is a member of the recorded one.
	WasIn bool
}

// FindMember finds a recorded partition by its name, and the md array that recorded partitions are in. It proves both:
// the array is the recorded one, and the partition is either in it, or in no array, and then it is empty or carries a
// member's superblock of that array. It writes nothing.
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
		return ArrayMember{}, fmt.Errorf("device %s is not there, or not provably this benchmark's to be in an md array",
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

// onlyArray is the one array that the partitions are in, proved to be the recorded one.
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

// checkNothingIn wants a partition without any signature: also the recorded filesystem is not in a partition, but on
// the array.
func (g *Guard) checkNothingIn(ctx context.Context, device string) error {
	signatures, err := g.wipefs(ctx, device)
	if err == nil && len(signatures) > 0 {
		err = &ForeignArrayError{device, errors.New("it holds " + signatures[0].notOurs())}
	}
	return err
}

// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/lines"
)

// maxBlockBytes is far more than a block of 16 MiB can occupy with parity and padding, or as a gang block.
const maxBlockBytes = 1 << 30

// ParseAllocation reads the output of `zdb -ddddd` for a dataset, whatever its length: it remembers only where a file's
// last block on each vdev ends. It counts level-0 blocks of files and volumes in their order, and ignores directories,
// indirect blocks and the like. Each vdev is counted separately: a file that continues on another vdev has no gap
// there.
func ParseAllocation(r io.Reader) (result.Allocation, error) {
	a := allocation{}
	for line, err := range lines.Endless(r) {
		if err != nil {
			return result.Allocation{}, fmt.Errorf("read zdb -ddddd: %w", err)
		}
		if err := a.read(line); err != nil {
			return result.Allocation{}, err
		}
	}
	return a.found, nil
}

// allocation is what has been read so far.
type allocation struct {
	found result.Allocation
	// headed says that the previous line was the title of an object.
	headed bool
	// ends is where the last block of the object ends on each vdev; nil if the object is not a file or a volume.
	ends map[uint64]uint64
}

// read parses the next line.
func (a *allocation) read(line string) error {
	fields := strings.Fields(line)
	switch {
	case a.headed:
		a.headed, a.ends = false, nil
		if strings.Contains(line, "  ZFS plain file") || strings.Contains(line, "  zvol object") {
			a.ends = map[uint64]uint64{}
		}
	case len(fields) > 2 && fields[0] == "Object" && fields[1] == "lvl":
		a.headed = true
	case a.ends != nil && len(fields) >= 4 && fields[1] == "L0" && strings.Count(fields[2], ":") == 2:
		return a.block(line, fields[2])
	}
	return nil
}

// block counts a block by its address: vdev, and offset and size in hexadecimal.
func (a *allocation) block(line, address string) error {
	parts := strings.Split(address, ":")
	vdev, errVdev := strconv.ParseUint(parts[0], 10, 32)
	offset, errOffset := strconv.ParseUint(parts[1], 16, 63)
	size, errSize := strconv.ParseUint(parts[2], 16, 63)
	if errVdev != nil || errOffset != nil || errSize != nil || size == 0 || size > maxBlockBytes ||
		a.found.Bytes > math.MaxInt64/2 {
		return &ParseError{What: "zdb -ddddd", Line: line}
	}
	if len(a.ends) == 0 {
		a.found.Files++
	}
	if end, known := a.ends[vdev]; known {
		a.found.Neighbours++
		if offset != end {
			a.found.Gaps++
		}
	}
	a.ends[vdev] = offset + size
	a.found.Blocks++
	a.found.Bytes += int64(size)
	return nil
}

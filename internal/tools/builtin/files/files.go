// SPDX-License-Identifier: Apache-2.0

package files

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"golang.org/x/sys/unix"
)

// Open retries when a signal interrupts it, which the Go runtime sends to its threads. Only the owner may read files
// that it makes.
func Open(path string, flags int) (int, error) {
	for {
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0o600)
		if !errors.Is(err, unix.EINTR) {
			return fd, Named("open", path, err)
		}
	}
}

// Write writes all of data.
func Write(fd int, data []byte) error {
	for len(data) > 0 {
		n, err := unix.Write(fd, data)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		case n == 0:
			return unix.EIO
		}
		data = data[n:]
	}
	return nil
}

// Named adds what failed to an error, if there is one.
func Named(what, path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", what, path, err)
}

// IsFull says whether an error means that there is no space, of whatever kind.
func IsFull(err error) bool {
	return slices.ContainsFunc([]error{unix.ENOSPC, unix.EDQUOT}, func(full error) bool { return errors.Is(err, full) })
}

// Fill makes data that neither compresses nor repeats.
func Fill(random *rand.PCG, data []byte) {
	for len(data) >= 8 {
		binary.LittleEndian.PutUint64(data, random.Uint64())
		data = data[8:]
	}
	for i := range data {
		data[i] = byte(random.Uint64())
	}
}

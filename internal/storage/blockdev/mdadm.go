// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/storage/mdraid"
)

// raidMember is the name that blkid and wipefs have for a member of an md array.
const raidMember = "linux_raid_member"

// examineMember reads from a device which array it is a member of. It returns an error if there is none.
func (g *Guard) examineMember(ctx context.Context, device string) (mdraid.UUID, error) {
	uuid, known, err := g.arrayOf(ctx, "--examine", device)
	if err == nil && !known {
		err = errors.New("mdadm does not say which array it is a member of")
	}
	if err != nil {
		return mdraid.UUID{}, fmt.Errorf("examine %s: %w", device, err)
	}
	return uuid, nil
}

// detailArray asks for the UUID of an array. It returns false if mdadm does not print it, which is possible for an
// array that does not run.
func (g *Guard) detailArray(ctx context.Context, device string) (uuid mdraid.UUID, known bool, err error) {
	uuid, known, err = g.arrayOf(ctx, "--detail", device)
	if err != nil {
		err = fmt.Errorf("look at md array %s: %w", device, err)
	}
	return uuid, known, err
}

func (g *Guard) arrayOf(ctx context.Context, how, device string) (uuid mdraid.UUID, known bool, err error) {
	result, err := g.host.Run(ctx, hostexec.Cmd{Args: []string{mdraid.Tool, how, "--export", device}})
	if err != nil {
		return mdraid.UUID{}, false, err
	}
	return parseArray(bytes.NewReader(result.Stdout))
}

// parseArray finds the array's UUID in the output of `mdadm --export`; false if it is not there.
func parseArray(r io.Reader) (uuid mdraid.UUID, known bool, err error) {
	tags, err := parseTags(r)
	if err != nil {
		return mdraid.UUID{}, false, fmt.Errorf("mdadm: %w", err)
	}
	text, known := tags["MD_UUID"]
	if !known {
		return mdraid.UUID{}, false, nil
	}
	uuid, err = mdraid.ParseUUID(text)
	return uuid, err == nil, err
}

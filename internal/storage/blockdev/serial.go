// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/node/hostexec"
)

// checkSerial compares the disk's serial number with the promised one. It uses lsblk's, because the administrator
// copied that, and also the kernel's own if it has one.
func (g *Guard) checkSerial(ctx context.Context, look *hostState, disk *Disk) error {
	result, err := g.local.Run(ctx, hostexec.Cmd{Args: []string{"lsblk", "-dno", "SERIAL", disk.Device}})
	if err != nil {
		return fmt.Errorf("its serial number cannot be read: %w", err)
	}
	return decideSerial(disk.Serial, strings.TrimSpace(string(result.Stdout)), look.tree[disk.Number].Serial)
}

func decideSerial(want, lsblk, kernel string) error {
	if lsblk == "" {
		return fmt.Errorf("it has no serial number, the policy promises %q", want)
	}
	if lsblk != want {
		return fmt.Errorf("its serial number is %q, the policy promises %q", lsblk, want)
	}
	if kernel != "" && joinWords(kernel) != joinWords(want) {
		return fmt.Errorf("the kernel says that its serial number is %q, the policy promises %q", kernel, want)
	}
	return nil
}

// joinWords replaces white space as udev does.
func joinWords(serial string) string { return strings.Join(strings.Fields(serial), "_") }

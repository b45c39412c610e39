// SPDX-License-Identifier: Apache-2.0

package plan

import "regexp"

// worldWide matches the names that udev makes below /dev/disk/by-id of a disk's NAA, EUI-64 or NGUID identifier
// (60-persistent-storage.rules). Before the number, scsi_id writes its type: 2 is EUI-64, 3 is NAA.
var worldWide = regexp.MustCompile(`^/dev/disk/by-id/(?:wwn-0x|scsi-[23]|nvme-eui\.)([0-9a-f]{16}(?:[0-9a-f]{16})?)$`)

// WorldWideName is the worldwide number in the path of a disk. It is the same on every node that can reach the disk;
// empty if the path has none.
func WorldWideName(path string) string {
	if found := worldWide.FindStringSubmatch(path); found != nil {
		return found[1]
	}
	return ""
}

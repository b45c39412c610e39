// SPDX-License-Identifier: Apache-2.0

package filesystem

// reiserfs is made by reiserfsprogs. Linux has it up to 6.12. Its tool cannot discard, and with -q does not prompt.
func reiserfs() Filesystem {
	return Filesystem{
		Type: "reiserfs", RarelyUsed: true, Version: []string{"mkreiserfs", "-V"}, MinBytes: 64 << 20, usable: 0.8,
		make: []string{"mkreiserfs", "-q"}, uuid: []string{"-u"},
		mkfs:  []Option{oneOf("hash", "r5", "rupasov", "tea").as("-h", "%")},
		mount: []Option{dataMode(), commitSeconds(), bare("notail")},
	}
}

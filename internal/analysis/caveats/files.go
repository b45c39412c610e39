// SPDX-License-Identifier: Apache-2.0

package caveats

// fileVdevs finds pools on files, which use the node's page cache and filesystem.
func fileVdevs(s subject) string {
	for _, d := range s.plan.DevicesOf(s.variant) {
		if d.FileSizeBytes > 0 {
			return "The pool is on files: the numbers include the node's page cache and filesystem."
		}
	}
	return ""
}

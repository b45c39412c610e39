// SPDX-License-Identifier: Apache-2.0

package truth

// syncDisabled finds writing that a power failure would have undone although it was reported as safe.
func syncDisabled(s subject) string {
	if s.property("sync") != "disabled" || !s.writes() {
		return ""
	}
	return "The dataset has sync=disabled: what programs are told is on stable storage is not, so the numbers are not those of a pool that keeps its promises."
}

// SPDX-License-Identifier: Apache-2.0

package mdraid

// The commands that change an array and its devices. Array and devices are paths. No command uses force.

// Fail marks a device of an array as failed: its data no longer counts.
func Fail(array, device string) []string { return []string{Tool, "--manage", array, "--fail", device} }

// Remove removes a failed device from an array. Its superblock still says that it was a member.
func Remove(array, device string) []string {
	return []string{Tool, "--manage", array, "--remove", device}
}

// Add adds a device to an array. If the array has a bitmap, a former member gets only the data that it missed,
// otherwise all data. Another device replaces a missing one, or becomes a spare if none is missing.
func Add(array, device string) []string { return []string{Tool, "--manage", array, "--add", device} }

// Replace copies a device of an array to a spare, which then takes its place. The device stays in use until then, and
// is marked as failed afterwards.
func Replace(array, device, with string) []string {
	return []string{Tool, "--manage", array, "--replace", device, "--with", with}
}

// Check starts a check: the kernel reads all devices of an array and compares redundant data. It returns when the check
// has begun.
func Check(array string) []string { return []string{Tool, "--action=check", array} }

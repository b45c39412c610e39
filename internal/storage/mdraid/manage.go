// SPDX-License-Identifier: Apache-2.0

package mdraid

// The commands that change an array with its devices. Array and devices are paths. None forces.

// Fail takes a device of an array out of use: what is on it no longer counts.
func Fail(array, device string) []string { return []string{Tool, "--manage", array, "--fail", device} }

// Remove takes a device that is out of use from an array. The device goes on saying that it was a member.
func Remove(array, device string) []string {
	return []string{Tool, "--manage", array, "--remove", device}
}

// Add gives an array a device. One that it had before gets what it has missed, if the array has a bitmap of that, else
// everything; so does any other, in the place of one that is missing. If none is, it is a spare.
func Add(array, device string) []string { return []string{Tool, "--manage", array, "--add", device} }

// Replace copies a device of an array to a spare, which then takes its place. The device stays in use until then, and
// is out of use afterwards.
func Replace(array, device, with string) []string {
	return []string{Tool, "--manage", array, "--replace", device, "--with", with}
}

// Check lets the kernel read all devices of an array and compare what is redundant. It returns when that has begun.
func Check(array string) []string { return []string{Tool, "--action=check", array} }

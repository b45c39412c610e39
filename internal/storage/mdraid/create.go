// SPDX-License-Identifier: Apache-2.0

package mdraid

import (
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

// Tool is mdadm: it creates, dismantles and examines arrays.
const Tool = "mdadm"

// VersionArgv prints the tool's version, and changes nothing.
func VersionArgv() []string { return []string{Tool, "--version"} }

// homehost is not the name of any node: an array that udev assembles after a crash then counts as foreign, and does not
// get a name that a local array could have.
const homehost = "zfsbench"

// Create is a new array.
type Create struct {
	Array v1alpha1.MDArray
	// Name is the array's name in /dev/md.
	Name string
	// UUID proves that the array belongs to the benchmark.
	UUID string
	// Devices are the paths of its devices, in their order.
	Devices []string
}

// Argv is the command that creates the array. --run makes mdadm not ask. There is never --force, nor --assume-clean,
// which would treat devices as in sync that are not.
func (c Create) Argv() []string {
	argv := []string{
		Tool, "--create", "/dev/md/" + c.Name, "--run", "--metadata=1.2", "--level=" + string(c.Array.Level),
		fmt.Sprintf("--raid-devices=%d", len(c.Devices)),
		"--uuid=" + c.UUID, "--homehost=" + homehost,
	}
	if c.Array.Level == v1alpha1.MDRaid10 {
		argv = append(argv, "--layout=n2")
	}
	if c.Array.ChunkSize != nil {
		argv = append(argv, fmt.Sprintf("--chunk=%dK", c.Array.ChunkSize.Value()>>10))
	}
	if c.Array.Bitmap != "" {
		argv = append(argv, "--bitmap="+strings.ToLower(string(c.Array.Bitmap)))
	}
	return slices.Concat(argv, c.Devices)
}

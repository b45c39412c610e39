// SPDX-License-Identifier: Apache-2.0

package mountinfo

import (
	"fmt"
	"io"
	"strings"

	"zfsbench.io/operator/internal/text/lines"
)

// Mount is one line.
type Mount struct {
	// Device is MAJOR:MINOR of the filesystem; the major number is 0 if it is not on exactly one block device.
	Device string
	// Root is the part of the filesystem that is mounted: / for all of it.
	Root                string
	Point, Type, Source string
	// Options are the options in effect of the mount, SuperOptions those of the filesystem.
	Options, SuperOptions string
}

// Parse reads all lines.
func Parse(r io.Reader) ([]Mount, error) {
	var mounts []Mount
	for line, err := range lines.Raw(r) {
		if err != nil {
			return nil, fmt.Errorf("mountinfo: %w", err)
		}
		before, after, found := strings.Cut(line, " - ")
		first, last := strings.Fields(before), strings.Fields(after)
		// A source may be empty; then the field is missing.
		if !found || len(first) < 6 || len(last) < 2 {
			return nil, fmt.Errorf("mountinfo: unexpected line %q", line)
		}
		mount := Mount{Device: first[2], Root: Unescape(first[3]), Point: Unescape(first[4]), Options: first[5],
			Type: last[0], Source: Unescape(last[1])}
		if len(last) > 2 {
			mount.SuperOptions = last[2]
		}
		mounts = append(mounts, mount)
	}
	return mounts, nil
}

// Unescape turns the kernel's octal escapes for white space and backslash into characters.
func Unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(text)
}

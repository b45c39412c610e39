// SPDX-License-Identifier: Apache-2.0

package mounts

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestMountFlags(t *testing.T) {
	const always = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	tests := map[string]struct {
		properties map[string]string
		want       uintptr
	}{
		"no access times":       {map[string]string{"atime": "off", "relatime": "on"}, always | unix.MS_NOATIME},
		"relative access times": {map[string]string{"atime": "on", "relatime": "on"}, always | unix.MS_RELATIME},
		"strict access times":   {map[string]string{"atime": "on", "relatime": "off"}, always | unix.MS_STRICTATIME},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := OptionsOf(test.properties).flags(); got != test.want {
				t.Errorf("got %#x, want %#x", got, test.want)
			}
		})
	}
}

func TestUnmountOfNothing(t *testing.T) {
	dir := t.TempDir()
	for name, path := range map[string]string{"a directory": dir, "nothing": filepath.Join(dir, "missing")} {
		t.Run(name, func(t *testing.T) {
			if err := (Kernel{}).Unmount(path); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestVolumeNameOfNoVolume(t *testing.T) {
	if name, err := (Kernel{}).VolumeName("/dev/null"); err == nil {
		t.Errorf("/dev/null is volume %q", name)
	}
}

// SPDX-License-Identifier: Apache-2.0

package filesystem

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"

	"zfsbench.io/operator/internal/testfiles"
)

const testUUID = "0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69"

// example is a value that an option accepts.
func (o Option) example() string {
	switch {
	case o.max > 0:
		return fmt.Sprint(o.max)
	case len(o.words) > 0:
		return o.words[0]
	}
	return ""
}

// full sets every option of mkfs.
func full(f Filesystem) v1alpha1.FilesystemSpec {
	spec := v1alpha1.FilesystemSpec{Type: f.Type}
	for _, o := range f.mkfs {
		spec.MkfsOptions = append(spec.MkfsOptions, v1alpha1.FilesystemOption(o.Name+"="+o.example()))
	}
	return spec
}

// TestCommands shows what would run, for review: no command discards, forces, or leaves anything to initialise later.
func TestCommands(t *testing.T) {
	var out strings.Builder
	for _, f := range All() {
		for _, spec := range []v1alpha1.FilesystemSpec{{Type: f.Type}, full(f)} {
			argv, err := f.MakeArgv(spec, testUUID, "/dev/disk/by-partuuid/x")
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&out, strings.Join(argv, " "))
			for _, word := range []string{"-f", "-F", "--force"} {
				if slices.Contains(argv, word) {
					t.Errorf("%v forces", argv)
				}
			}
			mark := testUUID
			if f.mark != nil {
				mark = f.mark(testUUID)
			}
			if argv[len(argv)-1] != "/dev/disk/by-partuuid/x" || !strings.Contains(argv[len(argv)-2], mark) {
				t.Errorf("%v does not end with the UUID and the device", argv)
			}
		}
	}
	testfiles.Compare(t, "commands.txt", out.String())
}

func TestMount(t *testing.T) {
	tests := map[string]struct {
		fs      v1alpha1.FilesystemType
		options []v1alpha1.FilesystemOption
		want    Mount
		err     string
	}{
		"nothing": {fs: "xfs", want: Mount{Type: "xfs", AccessTime: AccessTimeRelative}},
		"data": {fs: "ext3", options: []v1alpha1.FilesystemOption{"data=journal", "commit=30"},
			want: Mount{"ext3", AccessTimeRelative, "data=journal,commit=30"}},
		"access time": {fs: "btrfs", options: []v1alpha1.FilesystemOption{"noatime", "compress=zstd:3"},
			want: Mount{"btrfs", AccessTimeNever, "compress=zstd:3"}},
		"of another type": {fs: "ext2", options: []v1alpha1.FilesystemOption{"data=journal"},
			err: "data is not an option"},
		"another value": {fs: "ext4", options: []v1alpha1.FilesystemOption{"data=none"},
			err: "data must be journal, ordered or writeback"},
		"no value": {fs: "ext4", options: []v1alpha1.FilesystemOption{"data"}, err: "data must be"},
		"a value too many": {fs: "ext4", options: []v1alpha1.FilesystemOption{"nodelalloc=1"},
			err: "nodelalloc must be without a value"},
		"an empty value": {fs: "ext4", options: []v1alpha1.FilesystemOption{"nodelalloc="}, err: "remove the ="},
		"two in one": {fs: "ext4", options: []v1alpha1.FilesystemOption{"data=ordered,barrier=0"},
			err: "data must be"},
		"unsafe": {fs: "ext4", options: []v1alpha1.FilesystemOption{"barrier=0"},
			err: "barrier is not an option"},
		"the runner's own": {fs: "xfs", options: []v1alpha1.FilesystemOption{"suid"}, err: "suid is not an option"},
		"twice": {fs: "ext4", options: []v1alpha1.FilesystemOption{"commit=5", "commit=6"},
			err: "commit is set more than once"},
		"two access times": {fs: "ext4", options: []v1alpha1.FilesystemOption{"noatime", "relatime"},
			err: "the access time is set more than once"},
		"a number too large": {fs: "ext4", options: []v1alpha1.FilesystemOption{"commit=301"},
			err: "commit must be a whole number from 1 to 300"},
		"an odd number": {fs: "ext4", options: []v1alpha1.FilesystemOption{"commit=+5"}, err: "commit must be"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f, _ := Of(tt.fs)
			got, err := f.Mount(v1alpha1.FilesystemSpec{Type: tt.fs, MountOptions: tt.options})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var option *OptionError
			if (tt.err != "") != errors.As(err, &option) || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}

func TestMkfsOptions(t *testing.T) {
	tests := map[string]struct {
		fs      v1alpha1.FilesystemType
		options []v1alpha1.FilesystemOption
		want    string
	}{
		"right": {fs: "ext4", options: []v1alpha1.FilesystemOption{"blockSize=4096"}},
		"twice": {fs: "ext4", options: []v1alpha1.FilesystemOption{"blockSize=4096", "blockSize=4096"},
			want: "blockSize is set more than once"},
		"not a size": {fs: "ext4", options: []v1alpha1.FilesystemOption{"blockSize=4097"},
			want: "blockSize must be 1024, 2048 or 4096"},
		"of another type": {fs: "xfs", options: []v1alpha1.FilesystemOption{"inodeSize=256"},
			want: "inodeSize is not an option that a benchmark may set, which are agCount"},
		"a flag": {fs: "ext4", options: []v1alpha1.FilesystemOption{"-F"}, want: "-F is not an option"},
		"an escape": {fs: "ext4", options: []v1alpha1.FilesystemOption{"blockSize=4096 -F"},
			want: "blockSize must be"},
		"another argument": {fs: "btrfs", options: []v1alpha1.FilesystemOption{"nodeSize=--rootdir=/"},
			want: "nodeSize must be"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f, _ := Of(tt.fs)
			spec := v1alpha1.FilesystemSpec{Type: tt.fs, MkfsOptions: tt.options}
			errs := f.CheckMkfs(spec)
			_, err := f.MakeArgv(spec, testUUID, "/dev/x")
			if len(errs) > 1 || (len(errs) == 1) != (tt.want != "") || (err != nil) != (tt.want != "") ||
				err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("errors %v and %v, want %q", errs, err, tt.want)
			}
		})
	}
}

func TestChecksum(t *testing.T) {
	tests := map[string]struct {
		spec v1alpha1.FilesystemSpec
		want string
	}{
		"ext4":  {v1alpha1.FilesystemSpec{Type: "ext4"}, "off"},
		"xfs":   {v1alpha1.FilesystemSpec{Type: "xfs"}, "off"},
		"btrfs": {v1alpha1.FilesystemSpec{Type: "btrfs"}, "on"},
		"btrfs, spelled out": {v1alpha1.FilesystemSpec{Type: "btrfs",
			MkfsOptions: []v1alpha1.FilesystemOption{"checksum=crc32c"}}, "on"},
		"btrfs, stronger": {v1alpha1.FilesystemSpec{Type: "btrfs",
			MkfsOptions: []v1alpha1.FilesystemOption{"checksum=sha256"}}, "sha256"},
		"btrfs without": {v1alpha1.FilesystemSpec{Type: "btrfs", MountOptions: []v1alpha1.FilesystemOption{"nodatacow"}},
			"off"},
		"bcachefs": {v1alpha1.FilesystemSpec{Type: "bcachefs"}, "on"},
		"bcachefs without": {v1alpha1.FilesystemSpec{Type: "bcachefs",
			MkfsOptions: []v1alpha1.FilesystemOption{"dataChecksum=none"}}, "off"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f, _ := Of(tt.spec.Type)
			if got := f.Checksum(tt.spec); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

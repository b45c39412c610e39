// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec"
)

// loopDevice returns a real block device of 1 MiB that starts with "hello", and the file behind it.
func loopDevice(t *testing.T) (device, file string) {
	t.Helper()
	needRoot(t)
	file = filepath.Join(t.TempDir(), "disk")
	if err := os.WriteFile(file, append([]byte("hello"), make([]byte, 1<<20-5)...), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := hostexec.Local().Run(t.Context(), hostexec.Cmd{Args: []string{"losetup", "--find", "--show", file}})
	if err != nil {
		t.Fatal(err)
	}
	device = strings.TrimSpace(string(out.Stdout))
	t.Cleanup(func() {
		if _, err := hostexec.Local().Run(context.Background(),
			hostexec.Cmd{Args: []string{"losetup", "--detach", device}}); err != nil {
			t.Error(err)
		}
	})
	return device, file
}

func TestBlockDeviceAsTarget(t *testing.T) {
	device, file := loopDevice(t)
	before, err := os.Stat(device)
	if err != nil {
		t.Fatal(err)
	}
	cmd := shell(
		t, `head -c 5 /dev/target; printf world | dd of=/dev/target conv=notrunc,fsync 2>/dev/null; echo; echo $(ls /dev); ls /target 2>/dev/null`,
	)
	cmd.Target = device
	_, got := run(t, cmd)
	if diff := cmp.Diff("hello\nfull null random target urandom zero\n", got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	content, err := os.ReadFile(file)
	if err != nil || string(content[:5]) != "world" {
		t.Errorf("the device holds %q, error %v", content[:5], err)
	}
	after, err := os.Stat(device)
	if err != nil || after.Mode() != before.Mode() {
		t.Errorf("the host's node has changed: %v, error %v", after.Mode(), err)
	}
}

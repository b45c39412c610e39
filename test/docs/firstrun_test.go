// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os/exec"
	"strings"
	"testing"
)

// TestFirstRunNamesTheUsersNodeAndDisks runs the shell function of install.md on the samples that it is used for:
// nothing of the project's own test node may be left.
func TestFirstRunNamesTheUsersNodeAndDisks(t *testing.T) {
	text := read(t, "docs/install.md")
	_, function, found := strings.Cut(text, "    fill() {\n")
	function, _, closed := strings.Cut(function, "\n    }\n")
	if !found || !closed {
		t.Fatal("docs/install.md has no function fill")
	}
	script := "node=worker-7 disk0=/dev/disk/by-id/wwn-0xa disk1=/dev/disk/by-id/wwn-0xb\n" +
		"fill() {\n" + function + "\n}\nfill "
	for _, sample := range []string{"config/samples/dry-run.yaml", "config/samples/mirror.yaml"} {
		if !strings.Contains(text, "fill "+sample) {
			t.Errorf("docs/install.md does not use %s", sample)
		}
		command := exec.CommandContext(t.Context(), "bash", "-c", script+sample)
		command.Dir = top
		output, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"[worker-7]", "by-id/wwn-0xa}", "by-id/wwn-0xb}"} {
			if !strings.Contains(string(output), want) {
				t.Errorf("%s, filled in, does not contain %s", sample, want)
			}
		}
		for _, own := range []string{"storage-0", "virtio-zfsbench"} {
			if strings.Contains(string(output), own) {
				t.Errorf("%s, filled in, still contains %s", sample, own)
			}
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package jobspec

import "testing"

// The names are a contract with runners of other versions and with objects that already exist: they never change.
func TestBaseName(t *testing.T) {
	const uid, node, digest = "0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69", "storage-0", "sha256:00"
	tests := map[string]struct{ got, want string }{
		// printf %s 0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69/storage-0/sha256:00 | sha256sum
		"base":              {BaseName(uid, node, digest), "zb-77edb6740af2ff8a"},
		"another benchmark": {BaseName("uid-2", node, digest), "zb-49716c4351fc17b1"},
		"another node":      {BaseName(uid, "storage-1", digest), "zb-7a33d178413805c7"},
		"another plan":      {BaseName(uid, node, "sha256:01"), "zb-37ca4ae5ec0da585"},
		// printf %s storage-0 | sha256sum
		"node hash": {NodeHash(node), "503a718a345ef885"},
		"progress":  {ProgressName("zb-1"), "zb-1-progress"},
		"results":   {ResultsName("zb-1", 12), "zb-1-results-12"},
		"run":       {RunJobName("zb-1"), "zb-1-run"},
		"cleanup":   {CleanupJobName("zb-1"), "zb-1-cleanup"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("got %q, want %q", tt.got, tt.want)
			}
		})
	}
}

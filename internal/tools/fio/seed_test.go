// SPDX-License-Identifier: Apache-2.0

package fio

import "testing"

func TestSeed(t *testing.T) {
	base := Seed("sha256:a", 0, "write", false)
	if again := Seed("sha256:a", 0, "write", false); again != base {
		t.Errorf("not repeatable: %d and %d", base, again)
	}
	others := map[string]uint64{
		"plan": Seed("sha256:b", 0, "write", false), "trial": Seed("sha256:a", 1, "write", false),
		"workload": Seed("sha256:a", 0, "read", false),
		"layout":   Seed("sha256:a", 0, "write", true),
	}
	for name, seed := range others {
		if seed == base {
			t.Errorf("another %s has the same seed", name)
		}
	}
}

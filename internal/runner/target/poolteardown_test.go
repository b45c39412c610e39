// SPDX-License-Identifier: Apache-2.0

package target

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zfsbench.io/operator/internal/result"
)

// TestPoolThatLacksADeviceThatIsAway: a pool that cannot be imported is given up only if nothing of it may come back.
func TestPoolThatLacksADeviceThatIsAway(t *testing.T) {
	there := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := allThere([]result.OwnedDevice{{Name: "a", File: there}}); err != nil {
		t.Error(err)
	}
	err := allThere([]result.OwnedDevice{{Name: "a", File: there}, {Name: "b", File: there + "-away"}})
	if err == nil || !strings.Contains(err.Error(), "device b") {
		t.Errorf("error %v", err)
	}
}

// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

func TestLockIsExclusive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "lock")
	var seen atomic.Value
	waiting := func(holder string) { seen.Store(holder) }
	release, err := Lock(t.Context(), path, "default/a, which has a long name", waiting)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Lock(ctx, path, "default/b", waiting); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second lock: %v", err)
	}
	if seen.Load() != "default/a, which has a long name" {
		t.Errorf("waited for %q", seen.Load())
	}
	time.AfterFunc(50*time.Millisecond, release)
	again, err := Lock(t.Context(), path, "default/c", waiting)
	if err != nil {
		t.Fatal(err)
	}
	defer again()
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Lock(ctx, path, "default/d", waiting); err == nil || seen.Load() != "default/c" {
		t.Errorf("error %v, waited for %q", err, seen.Load())
	}
}

// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"
)

func TestLockIsExclusive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "lock")
	log := slog.New(slog.DiscardHandler)
	release, err := lockNode(t.Context(), path, log)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := lockNode(ctx, path, log); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second lock: %v", err)
	}
	time.AfterFunc(50*time.Millisecond, release)
	again, err := lockNode(t.Context(), path, log)
	if err != nil {
		t.Fatal(err)
	}
	again()
}

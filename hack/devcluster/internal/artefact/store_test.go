package artefact

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func write(content string) Build {
	return func(_ context.Context, path string) error { return os.WriteFile(path, []byte(content), 0o644) }
}

func TestEnsureBuildsOnce(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	var builds atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			path, err := store.Ensure(t.Context(), "thing", "0123456789abcdef", func(ctx context.Context, path string) error {
				builds.Add(1)
				return write("content")(ctx, path)
			})
			if err != nil {
				t.Error(err)
				return
			}
			if content, err := os.ReadFile(path); err != nil || string(content) != "content" {
				t.Errorf("read %q, %v", content, err)
			}
		})
	}
	group.Wait()
	if got := builds.Load(); got != 1 {
		t.Errorf("built %d times, want once", got)
	}
}

func TestEnsureAfterFailure(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	broken := errors.New("broken")
	_, err := store.Ensure(t.Context(), "thing", "k", func(ctx context.Context, path string) error {
		return errors.Join(write("half")(ctx, path), broken)
	})
	if !errors.Is(err, broken) {
		t.Fatalf("got %v, want the build's error", err)
	}
	if exists(store.Path("thing", "k")) {
		t.Fatal("what a failed build made was taken for whole")
	}
	// A killed build cleans up nothing.
	stale := filepath.Join(store.Dir, ".tmp.thing.123")
	if err := os.MkdirAll(filepath.Join(stale, "artefact"), 0o755); err != nil {
		t.Fatal(err)
	}
	path, err := store.Ensure(t.Context(), "thing", "k", write("whole"))
	if err != nil {
		t.Fatal(err)
	}
	if content, _ := os.ReadFile(path); string(content) != "whole" {
		t.Errorf("got %q", content)
	}
	if left, err := filepath.Glob(filepath.Join(store.Dir, ".tmp.*")); err != nil || left != nil {
		t.Errorf("temporary files stay: %v, %v", left, err)
	}
}

func TestPrune(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	const kept, old = "0123456789abcdef", "fedcba9876543210"
	for _, name := range []string{"image", "image-base"} {
		for _, key := range []string{kept, old} {
			if _, err := store.Ensure(t.Context(), name, key, write("")); err != nil {
				t.Fatal(err)
			}
		}
	}
	removed, err := store.Prune(t.Context(), "image", kept)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{store.Path("image", old)}, removed); diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
	for _, path := range []string{store.Path("image", kept), store.Path("image-base", old)} {
		if !exists(path) {
			t.Errorf("%s is gone", path)
		}
	}
}

func TestKey(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	keys := map[string]*Key{
		"nothing":              NewKey("p"),
		"another purpose":      NewKey("q"),
		"one string":           NewKey("p").Strings("ab"),
		"split strings":        NewKey("p").Strings("a", "b"),
		"strings in two calls": NewKey("p").Strings("a").Strings("b"),
		"file":                 NewKey("p").Files(file),
		"map":                  NewKey("p").Map(map[string]string{"a": "b", "c": "d"}),
		"map, other values":    NewKey("p").Map(map[string]string{"a": "d", "c": "b"}),
	}
	seen := map[string]string{}
	for name, key := range keys {
		sum, err := key.Sum()
		if err != nil {
			t.Fatal(err)
		}
		if other, found := seen[sum]; found {
			t.Errorf("%q and %q have the same key", name, other)
		}
		if !isKey(sum) {
			t.Errorf("%q is no key", sum)
		}
		seen[sum] = name
	}
	first, _ := NewKey("p").Files(file).Sum()
	if err := os.WriteFile(file, []byte("b"), 0o644); err != nil {
		t.Fatal(err)
	}
	if second, _ := NewKey("p").Files(file).Sum(); first == second {
		t.Error("a changed file gives the same key")
	}
	if _, err := NewKey("p").Files(filepath.Join(dir, "missing")).Sum(); err == nil {
		t.Error("a missing file gives a key")
	}
}

package progress

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReporter(t *testing.T) {
	var out bytes.Buffer
	r := New(&out)
	clock := r.start
	r.now = func() time.Time { return clock }
	work := func(took time.Duration, result error) func(context.Context) error {
		return func(context.Context) error {
			clock = clock.Add(took)
			return result
		}
	}
	failure := errors.New("failure")
	if err := r.Step(t.Context(), "first", work(1500*time.Millisecond, nil)); err != nil {
		t.Fatal(err)
	}
	r.Note("answer %d", 42)
	if err := r.Step(t.Context(), "second", work(61*time.Second, failure)); !errors.Is(err, failure) {
		t.Fatalf("got %v", err)
	}
	want := "[   1.5s] done  first (1.5s)\n[   1.5s] note  answer 42\n[   1m3s] FAIL  second (1m1s)\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestSilentReporter(t *testing.T) {
	for name, r := range map[string]*Reporter{"nil": nil, "nowhere": New(nil)} {
		called := false
		if err := r.Step(t.Context(), "step", func(context.Context) error {
			called = true
			return nil
		}); err != nil || !called {
			t.Errorf("%s: called %v, %v", name, called, err)
		}
		r.Note("nothing")
	}
}

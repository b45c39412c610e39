// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"zfsbench.io/operator/internal/result"
)

// progressSink takes progress only.
type progressSink struct {
	Sink
	mu   sync.Mutex
	got  []result.Progress
	gone bool
	came chan struct{}
}

func (s *progressSink) PutProgress(_ context.Context, p result.Progress) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return errors.New("away")
	}
	s.got = append(s.got, p)
	s.came <- struct{}{}
	return nil
}

func startTestReporter(t *testing.T, interval time.Duration) (*reporter, *progressSink) {
	t.Helper()
	s := &progressSink{came: make(chan struct{}, 100)}
	r := newReporter(Deps{Sink: s, Now: time.Now, Log: slog.New(slog.DiscardHandler)},
		result.Progress{State: result.StatePreflight})
	r.interval = interval
	r.start(t.Context())
	<-s.came
	return r, s
}

func TestReporterHoldsBackWhatIsNoNews(t *testing.T) {
	r, s := startTestReporter(t, time.Hour)
	for range 10 {
		r.update(func(p *result.Progress) { p.Completed++ })
	}
	r.announce(func(p *result.Progress) { p.State = result.StateRunning })
	<-s.came
	if last := r.finish(); last.Completed != 10 || last.State != result.StateRunning || last.Updated.IsZero() {
		t.Errorf("last %+v", last)
	}
	if len(s.got) != 2 || s.got[0].State != result.StatePreflight || s.got[1].Completed != 10 {
		t.Errorf("published %+v", s.got)
	}
}

func TestReporterPublishesNowAndThen(t *testing.T) {
	r, s := startTestReporter(t, time.Millisecond)
	r.update(func(p *result.Progress) {
		p.Node = &result.NodeFacts{Kernel: "6.12", ModuleParameters: map[string]string{"zfs.x": "1"}}
		p.Current = &result.CurrentTrial{Percent: 1}
	})
	<-s.came
	r.update(func(p *result.Progress) { p.Current.Percent = 2 })
	<-s.came
	last := r.finish()
	if last.Node.ModuleParameters["zfs.x"] != "1" {
		t.Error("the report lacks the module parameters")
	}
	if got := s.got[1]; got.Node.Kernel != "6.12" || got.Node.ModuleParameters != nil || got.Current.Percent != 1 {
		t.Errorf("published %+v", got)
	}
}

func TestReporterOutlivesItsSink(t *testing.T) {
	r, s := startTestReporter(t, time.Millisecond)
	s.mu.Lock()
	s.gone = true
	s.mu.Unlock()
	r.announce(func(p *result.Progress) { p.Completed = 1 })
	s.mu.Lock()
	s.gone = false
	s.mu.Unlock()
	r.announce(func(p *result.Progress) { p.Completed = 2 })
	<-s.came
	if last := r.finish(); last.Completed != 2 {
		t.Errorf("last %+v", last)
	}
}

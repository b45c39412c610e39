// Package progress tells a person on stderr what is being done and how long it took: one line per step, and
// a reminder for steps that take long.
package progress

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// reminderInterval is the longest silence of a running step.
const reminderInterval = 30 * time.Second

// Reporter writes the lines. The zero value is silent. Safe for concurrent use.
type Reporter struct {
	mu    sync.Mutex
	out   io.Writer
	start time.Time
	now   func() time.Time
}

// New returns a reporter that writes to out; elapsed times count from now.
func New(out io.Writer) *Reporter {
	return &Reporter{out: out, start: time.Now(), now: time.Now}
}

// Step runs fn and reports its end with the time it took. While it runs it is mentioned every half minute.
func (r *Reporter) Step(ctx context.Context, name string, fn func(context.Context) error) error {
	if r == nil || r.out == nil {
		return fn(ctx)
	}
	begin := r.now()
	done := make(chan struct{})
	var reminders sync.WaitGroup
	reminders.Go(func() { r.remind(done, name, begin) })
	err := fn(ctx)
	close(done)
	reminders.Wait()
	mark := "done"
	if err != nil {
		mark = "FAIL"
	}
	r.line(mark, fmt.Sprintf("%s (%s)", name, short(r.now().Sub(begin))))
	return err
}

// Note writes a line that is not a step.
func (r *Reporter) Note(format string, args ...any) {
	if r != nil && r.out != nil {
		r.line("note", fmt.Sprintf(format, args...))
	}
}

func (r *Reporter) remind(done <-chan struct{}, name string, begin time.Time) {
	ticker := time.NewTicker(reminderInterval)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			r.line("....", fmt.Sprintf("%s (%s so far)", name, short(r.now().Sub(begin))))
		}
	}
}

func (r *Reporter) line(mark, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.out, "[%7s] %s  %s\n", short(r.now().Sub(r.start)), mark, text)
}

// short prints a duration with a tenth of a second below a minute and whole seconds above.
func short(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

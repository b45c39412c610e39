// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"zfsbench.io/operator/internal/result"
)

// Directory writes a runner's documents into files, for runs without Kubernetes: progress.json, trials/trial-00000.json
// and so on. It never reads them: a later runner gets what it needs from the journal.
type Directory struct {
	path string
	// out gets one line for each change of progress.
	out io.Writer

	mu     sync.Mutex
	last   string
	trials map[int]result.Trial
}

// NewDirectory makes the directory and returns the sink that writes there.
func NewDirectory(path string, out io.Writer) (*Directory, error) {
	if err := os.MkdirAll(filepath.Join(path, "trials"), 0o755); err != nil {
		return nil, fmt.Errorf("make the output directory: %w", err)
	}
	return &Directory{path: path, out: out, trials: map[int]result.Trial{}}, nil
}

// PutOwnership writes ownership.json for people to read. The journal has the same record.
func (d *Directory) PutOwnership(_ context.Context, ownership result.Ownership) error {
	return d.write("ownership.json", ownership)
}

// ClearOwnership removes ownership.json.
func (d *Directory) ClearOwnership(context.Context) error {
	err := os.Remove(filepath.Join(d.path, "ownership.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clear ownership: %w", err)
	}
	return nil
}

// Ownership is always nil: the journal is on the same machine.
func (*Directory) Ownership(context.Context) (*result.Ownership, error) { return nil, nil }

// PutTrial writes a trial with histograms in full resolution.
func (d *Directory) PutTrial(_ context.Context, trial result.Trial) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trials[trial.Index] = trial
	data, err := json.Marshal(trial)
	if err != nil {
		return fmt.Errorf("write trial %d: %w", trial.Index, err)
	}
	return d.WriteFile(filepath.Join("trials", fmt.Sprintf("trial-%05d.json", trial.Index)), string(data)+"\n")
}

// Trials returns the trials that were put, in order.
func (d *Directory) Trials() []result.Trial {
	d.mu.Lock()
	defer d.mu.Unlock()
	var trials []result.Trial
	for _, index := range slices.Sorted(maps.Keys(d.trials)) {
		trials = append(trials, d.trials[index])
	}
	return trials
}

// PutProgress writes progress.json and prints one line about what has changed.
func (d *Directory) PutProgress(_ context.Context, progress result.Progress) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if line := describe(progress); line != d.last {
		d.last = line
		if _, err := fmt.Fprintln(d.out, line); err != nil {
			return fmt.Errorf("print progress: %w", err)
		}
	}
	return d.write("progress.json", progress)
}

// Progress is always nil: without Kubernetes, a new run starts without the progress of an earlier one.
func (*Directory) Progress(context.Context) (*result.Progress, error) { return nil, nil }

// SuspendRequested is always false.
func (*Directory) SuspendRequested(context.Context) (bool, error) { return false, nil }

// ForgottenDevices is always empty.
func (*Directory) ForgottenDevices(context.Context) ([]string, error) { return nil, nil }

// WriteFile writes another file next to the documents. It returns only when the file is on the disk, because the
// journal is removed after that.
func (d *Directory) WriteFile(name, content string) error {
	f, err := os.OpenFile(filepath.Join(d.path, name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	_, err = io.WriteString(f, content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

func (d *Directory) write(name string, document any) error {
	data, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return d.WriteFile(name, string(data)+"\n")
}

// describe is progress on one line.
func describe(p result.Progress) string {
	line := p.State
	switch done := p.Completed + p.Failed; done {
	case 0:
	case 1:
		line += ", 1 trial done"
	default:
		line += fmt.Sprintf(", %d trials done", done)
	}
	if p.Failed > 0 {
		line += fmt.Sprintf(" (%d failed)", p.Failed)
	}
	if c := p.Current; c != nil {
		line += fmt.Sprintf("; trial %d, variant %s, repetition %d, %d%%: %s",
			c.Index, c.Variant, c.Repetition, c.Percent, c.Step)
		if c.Workload != "" {
			line += " " + c.Workload
		}
		if c.ReadBytesPerSecond+c.WriteBytesPerSecond > 0 {
			line += fmt.Sprintf(" (read %.1f MiB/s, write %.1f MiB/s)",
				mebibytes(c.ReadBytesPerSecond), mebibytes(c.WriteBytesPerSecond))
		}
	}
	if p.Failure != nil {
		line += ": " + p.Failure.Message
	}
	return line
}

func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }

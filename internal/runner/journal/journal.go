// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"zfsbench.io/operator/internal/node/durable"
	"zfsbench.io/operator/internal/result"
)

// version is the schema version of the journal's files.
const version = 1

// Journal is what survives a runner on the node: when its plan began, what it owns, and the results of finished trials.
// Every change is on disk when the method returns.
type Journal struct {
	dir    string
	state  contents
	trials map[int]result.Trial
}

// contents is the content of state.json.
type contents struct {
	Version    int    `json:"version"`
	PlanDigest string `json:"planDigest"`
	// Started is when the first runner of the plan began.
	Started time.Time `json:"started"`
	// SuspendedAt is when a runner stopped on request; nil while a runner works, or after it has crashed.
	SuspendedAt *time.Time `json:"suspendedAt,omitempty"`
	// Suspended is the total time of earlier suspensions; it does not count as running time.
	Suspended time.Duration     `json:"suspendedNanoseconds,omitempty"`
	Ownership *result.Ownership `json:"ownership,omitempty"`
	// Excluded are the attempts of the trial that is to be run again. They no longer matter once the trial has a result.
	Excluded *excludedAttempts `json:"excluded,omitempty"`
}

// excludedAttempts are the excluded attempts of one trial.
type excludedAttempts struct {
	Trial    int              `json:"trial"`
	Attempts []result.Attempt `json:"attempts"`
}

// Open reads the journal, or starts a new one if there is none. A journal that cannot be read is an error: it may be
// the only record of what is owned.
func Open(dir, planDigest string, now time.Time) (*Journal, error) {
	j := &Journal{dir: dir, trials: map[int]result.Trial{}}
	data, err := readFile(j.statePath())
	if errors.Is(err, fs.ErrNotExist) {
		err := j.save(contents{Version: version, PlanDigest: planDigest, Started: now})
		return j, err
	}
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	if j.state, err = parseState(data); err != nil {
		return nil, fmt.Errorf("open journal: %s: %w", j.statePath(), err)
	}
	err = j.loadTrials()
	return j, err
}

// Read reads the journal of another benchmark, without its results. If there is none, the error is fs.ErrNotExist.
func Read(dir string) (*Journal, error) {
	j := &Journal{dir: dir, trials: map[int]result.Trial{}}
	data, err := readFile(j.statePath())
	if err == nil {
		j.state, err = parseState(data)
	}
	if err != nil {
		return nil, fmt.Errorf("journal %s cannot be read: %w", j.statePath(), err)
	}
	return j, nil
}

// PlanDigest is the digest of the plan that the journal belongs to.
func (j *Journal) PlanDigest() string { return j.state.PlanDigest }

// Started is when the first runner of the plan began.
func (j *Journal) Started() time.Time { return j.state.Started }

// Fresh says that nothing but the start has been recorded yet.
func (j *Journal) Fresh() bool {
	return len(j.trials) == 0 && j.state.Ownership == nil && j.state.Excluded == nil
}

// loadTrials reads the results of this plan.
func (j *Journal) loadTrials() error {
	files, err := filepath.Glob(filepath.Join(j.dir, "trial-*.json"))
	if err != nil {
		return fmt.Errorf("open journal: %w", err)
	}
	for _, file := range files {
		data, err := readFile(file)
		if err != nil {
			return fmt.Errorf("open journal: %w", err)
		}
		trial, err := parseTrial(data)
		if err == nil && file != j.trialPath(trial.Index) {
			err = fmt.Errorf("it is trial %d", trial.Index)
		}
		if err != nil {
			return fmt.Errorf("open journal: %s: %w", file, err)
		}
		if trial.PlanDigest != j.state.PlanDigest {
			continue // Restart has removed the file, but a crash has brought it back
		}
		j.trials[trial.Index] = trial
	}
	return nil
}

// Restart forgets the results of another plan and begins this one. What the other plan owns must have been torn down.
func (j *Journal) Restart(planDigest string, now time.Time) error {
	if j.state.Ownership != nil {
		return errors.New("restart journal: the previous plan still owns something")
	}
	for index := range j.trials {
		if err := os.Remove(j.trialPath(index)); err != nil {
			return fmt.Errorf("restart journal: %w", err)
		}
	}
	j.trials = map[int]result.Trial{}
	return j.save(contents{Version: version, PlanDigest: planDigest, Started: now})
}

// Resume ends a suspension.
func (j *Journal) Resume(now time.Time) error {
	if j.state.SuspendedAt == nil {
		return nil
	}
	next := j.state
	next.Suspended += max(0, now.Sub(*j.state.SuspendedAt))
	next.SuspendedAt = nil
	return j.save(next)
}

// Suspend begins a suspension.
func (j *Journal) Suspend(now time.Time) error {
	next := j.state
	next.SuspendedAt = &now
	return j.save(next)
}

// Deadline is when the plan's running time is up.
func (j *Journal) Deadline(timeout time.Duration) time.Time {
	return j.state.Started.Add(timeout + j.state.Suspended)
}

// RecordOwned records what the benchmark owns, or is about to own.
func (j *Journal) RecordOwned(ownership result.Ownership) error {
	next := j.state
	next.Ownership = &ownership
	return j.save(next)
}

// ClearOwned records that the benchmark owns nothing.
func (j *Journal) ClearOwned() error {
	next := j.state
	next.Ownership = nil
	return j.save(next)
}

// Owned is the recorded ownership, or nil.
func (j *Journal) Owned() *result.Ownership { return j.state.Ownership }

// Exclude records an attempt of a trial that is to be run again.
func (j *Journal) Exclude(trial int, attempt result.Attempt) error {
	next := j.state
	next.Excluded = &excludedAttempts{Trial: trial, Attempts: append(slices.Clone(j.Excluded(trial)), attempt)}
	return j.save(next)
}

// Excluded are the attempts of a trial so far.
func (j *Journal) Excluded(trial int) []result.Attempt {
	if x := j.state.Excluded; x != nil && x.Trial == trial {
		return x.Attempts
	}
	return nil
}

// Finish records the result of a trial.
func (j *Journal) Finish(trial result.Trial) error {
	data, err := json.Marshal(trial)
	if err != nil {
		return fmt.Errorf("record trial %d: %w", trial.Index, err)
	}
	if err := durable.WriteFile(j.trialPath(trial.Index), data); err != nil {
		return fmt.Errorf("record trial %d: %w", trial.Index, err)
	}
	j.trials[trial.Index] = trial
	return nil
}

// ExcludedTrial is the index of the trial that is to be run again, with its attempts so far; no attempts if there is no
// such trial.
func (j *Journal) ExcludedTrial() (index int, attempts []result.Attempt) {
	if j.state.Excluded == nil {
		return 0, nil
	}
	return j.state.Excluded.Trial, j.state.Excluded.Attempts
}

// Result is the result of a trial, if it has one.
func (j *Journal) Result(index int) (trial result.Trial, done bool) {
	trial, done = j.trials[index]
	return trial, done
}

// Finished says whether a trial has a result.
func (j *Journal) Finished(index int) bool {
	_, done := j.trials[index]
	return done
}

// Succeeded says whether a trial has a result without a failure.
func (j *Journal) Succeeded(index int) bool {
	trial, done := j.trials[index]
	return done && trial.Failure == nil
}

// Results are the results of all finished trials, in order.
func (j *Journal) Results() []result.Trial {
	var trials []result.Trial
	for _, index := range slices.Sorted(maps.Keys(j.trials)) {
		trials = append(trials, j.trials[index])
	}
	return trials
}

func (j *Journal) statePath() string { return filepath.Join(j.dir, "state.json") }

func (j *Journal) trialPath(index int) string {
	return filepath.Join(j.dir, fmt.Sprintf("trial-%05d.json", index))
}

// save writes a state to disk, and only then makes it the journal's state.
func (j *Journal) save(next contents) error {
	data, err := json.MarshalIndent(next, "", "  ")
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	if err := durable.WriteFile(j.statePath(), data); err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	j.state = next
	return nil
}

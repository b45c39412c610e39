// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"errors"
	"fmt"
	"syscall"
)

// ErrNoReport says that fio's output holds no JSON document: fio did not get as far as running a job, and its standard error says why.
var ErrNoReport = errors.New("fio wrote no report")

// ErrNoIO says that a job ended without error and without a single I/O in either direction.
var ErrNoIO = errors.New("fio did no I/O")

// FieldError says that a workload cannot be written as a fio job.
type FieldError struct {
	// Field is the field's name in the API, for example bs.
	Field   string
	Problem string
}

func (e *FieldError) Error() string { return fmt.Sprintf("fio workload: %s: %s", e.Field, e.Problem) }

// FormatError says that a report cannot be read or contradicts itself.
type FormatError struct{ Err error }

func (e *FormatError) Error() string { return fmt.Sprintf("fio report: %v", e.Err) }

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// JobError says that a job failed. It wraps the system's error: errors.Is(err, syscall.ENOSPC) tells a full pool.
type JobError struct {
	// Job is the position of the job in the report; with group reporting it is 0 for all.
	Job int
	// Errno is what the first failing process of the job met.
	Errno syscall.Errno
}

func (e *JobError) Error() string { return fmt.Sprintf("fio: job %d failed: %v", e.Job, e.Errno) }

// Unwrap returns the system's error.
func (e *JobError) Unwrap() error { return e.Errno }

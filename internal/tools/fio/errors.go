// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"errors"
	"fmt"
	"syscall"

	"zfsbench.io/operator/internal/tools/toolreport"
)

// tool is the tool's name in messages.
const tool = toolreport.Tool("fio")

// ErrNoIO says that a job ended without error and without a single I/O in either direction.
var ErrNoIO = errors.New("fio did no I/O")

// FieldError says that a workload cannot be written as a fio job.
type FieldError struct {
	// Field is the field's name in the API, for example bs.
	Field   string
	Problem string
}

func (e *FieldError) Error() string { return fmt.Sprintf("fio workload: %s: %s", e.Field, e.Problem) }

// JobError says that a job failed. It wraps the system's error: for a full pool, errors.Is(err, syscall.ENOSPC) is
// true.
type JobError struct {
	// Job is the position of the job in the report; with group reporting it is 0 for all.
	Job int
	// Errno is the error of the first process of the job that failed.
	Errno syscall.Errno
}

func (e *JobError) Error() string { return fmt.Sprintf("fio: job %d failed: %v", e.Job, e.Errno) }

// Unwrap returns the system's error.
func (e *JobError) Unwrap() error { return e.Errno }

// SPDX-License-Identifier: Apache-2.0

package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/hostfs"
	"zfsbench.io/operator/internal/tools/builtin"
	"zfsbench.io/operator/internal/tools/treecopy"
)

// stopGrace is how long a tool may take to stop when its time is over: it may be waiting for a write.
const stopGrace = time.Minute

// Options are what to do.
type Options struct {
	Tool v1alpha1.CopyTool
	// From is copied to To, which is made.
	From, To string
	// Inodes and Bytes are what From has, itself included.
	Inodes, Bytes int64
	// MaxTime ends the copy; 0 for no limit.
	MaxTime time.Duration
}

// Run copies, then times the sync. An incomplete copy is an error, unless its time was over.
func Run(ctx context.Context, run hostexec.Runner, o Options) (builtin.Report, error) {
	argv := treecopy.ToolArgv(o.Tool, o.From, o.To)
	if argv == nil {
		return builtin.Report{}, fmt.Errorf("no such tool: %q", o.Tool)
	}
	version, err := run.Run(ctx, hostexec.Cmd{Args: treecopy.VersionArgv(o.Tool)})
	if err != nil {
		return builtin.Report{}, err
	}
	p := result.Phase{Name: string(v1alpha1.OperationCopy), Copies: true}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if o.MaxTime > 0 {
		limited, cancel = context.WithTimeout(ctx, o.MaxTime)
	}
	defer cancel()
	began := time.Now()
	_, err = run.Run(limited, hostexec.Cmd{Args: argv, Grace: stopGrace})
	runtime := time.Since(began)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		p.Ended = result.EndedByTime
	case err != nil:
		return builtin.Report{}, err
	}
	synced := time.Now()
	if err := (hostfs.Host{}).SyncMount(filepath.Dir(o.To)); err != nil {
		return builtin.Report{}, err
	}
	p.SyncNanoseconds = time.Since(synced).Nanoseconds()
	err = o.count(&p, runtime)
	return builtin.Report{Measured: treecopy.Version(o.Tool, string(version.Stdout)), Phases: []result.Phase{p}}, err
}

// count finds out how much was copied.
func (o Options) count(p *result.Phase, runtime time.Duration) error {
	err := filepath.WalkDir(o.To, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		p.IOs++
		if info.Mode().IsRegular() {
			p.Bytes += info.Size()
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look at the copy: %w", err)
	}
	if p.Ended == "" && (p.IOs != o.Inodes || p.Bytes != o.Bytes) {
		return fmt.Errorf("%s copied %d of %d directories and files, %d of %d bytes",
			o.Tool, p.IOs, o.Inodes, p.Bytes, o.Bytes)
	}
	p.RuntimeNanoseconds = max(1, runtime.Nanoseconds())
	seconds := float64(p.RuntimeNanoseconds) / 1e9
	p.IOPS, p.BandwidthBytesPerSecond = float64(p.IOs)/seconds, float64(p.Bytes)/seconds
	return nil
}

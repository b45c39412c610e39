// SPDX-License-Identifier: Apache-2.0

package work

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/builtin"
	"zfsbench.io/operator/internal/tools/pgbench"
)

// Options are what to do.
type Options struct {
	Workload v1alpha1.PgbenchWorkload
	// Directory has the database, the server's socket and pgbench's logs. Layout makes it.
	Directory string
	Seed      uint64
	// Layout makes the database and measures nothing.
	Layout bool
	// Status gets how far it is.
	Status io.Writer
}

// Run makes the database, or measures.
func Run(ctx context.Context, run hostexec.Runner, o Options) (builtin.Report, error) {
	programs, version, err := probe(ctx, run)
	if err != nil {
		return builtin.Report{}, err
	}
	report := builtin.Report{Measured: pgbench.Version(version)}
	s := server{run, programs, o}
	if o.Layout {
		return report, s.layOut(ctx)
	}
	p, err := s.measure(ctx)
	report.Phases = []result.Phase{p}
	return report, err
}

// Probe returns pgbench's output for --version. It fails if the server is missing.
func Probe(ctx context.Context, run hostexec.Runner) (string, error) {
	_, version, err := probe(ctx, run)
	return version, err
}

// probe also returns the directory with the programs.
func probe(ctx context.Context, run hostexec.Runner) (programs, version string, err error) {
	if programs, err = findPrograms(programsPattern); err != nil {
		return "", "", err
	}
	printed, err := run.Run(ctx, hostexec.Cmd{Args: []string{programs + "/pgbench", "--version"}})
	return programs, string(printed.Stdout), err
}

// server is a database with its programs.
type server struct {
	hostexec.Runner
	programs string
	Options
}

// layOut makes the database.
func (s server) layOut(ctx context.Context) error {
	if err := os.Mkdir(s.Directory, 0o700); err != nil {
		return fmt.Errorf("make the database's directory: %w", err)
	}
	if _, err := s.Run(ctx, hostexec.Cmd{Args: pgbench.Initdb(s.programs, s.Directory)}); err != nil {
		return err
	}
	_, err := s.during(ctx, func(ctx context.Context) error {
		_, err := s.Run(ctx, hostexec.Cmd{Args: pgbench.Load(s.Workload, s.programs, s.Directory)})
		return err
	})
	return err
}

// measure runs pgbench, and counts the time in which the server writes out what it has in memory.
func (s server) measure(ctx context.Context) (result.Phase, error) {
	var p result.Phase
	stopping, err := s.during(ctx, func(ctx context.Context) error {
		defer s.reportTime()()
		printed, err := s.Run(ctx, hostexec.Cmd{Args: pgbench.Measure(s.Workload, s.programs, s.Directory, s.Seed)})
		if err != nil {
			return err
		}
		p, err = pgbench.Parse(strings.NewReader(string(printed.Stdout)))
		return err
	})
	if err != nil {
		return result.Phase{}, err
	}
	p.SyncNanoseconds = stopping.Nanoseconds()
	p.Latency, err = s.latencies()
	return p, err
}

// latencies reads the latencies from pgbench's transaction logs, and removes the logs.
func (s server) latencies() (result.Latency, error) {
	logs, err := filepath.Glob(pgbench.Log(s.Directory) + ".*")
	if err != nil || len(logs) == 0 {
		return result.Latency{}, errors.Join(errors.New("pgbench left no transaction log"), err)
	}
	var all result.Recorder
	for _, path := range logs {
		if err := readLog(path, &all); err != nil {
			return result.Latency{}, err
		}
	}
	return all.Latency(), nil
}

func readLog(path string, all *result.Recorder) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open a transaction log: %w", err)
	}
	err = errors.Join(pgbench.ParseLog(file, all), file.Close())
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove a transaction log: %w", err)
	}
	return nil
}

// reportTime prints each second how much of the runtime is over, until the function that it returns is called.
func (s server) reportTime() func() {
	began, runtime := time.Now(), s.Workload.WithDefaults().Runtime.Duration
	tick, over := time.NewTicker(time.Second), make(chan struct{})
	go func() {
		for {
			select {
			case <-tick.C:
				percent := min(100, int(100*time.Since(began)/runtime))
				_, _ = fmt.Fprintf(s.Status, "%s %d\n", v1alpha1.PgbenchTransaction, percent)
			case <-over:
				return
			}
		}
	}()
	return func() {
		tick.Stop()
		close(over)
	}
}

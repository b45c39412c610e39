package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"zfsbench.io/operator/hack/devcluster/internal/progress"
)

// Down removes the cluster: processes, network namespace, disks, keys. Logs stay until the next cluster. What is
// not there is no error.
func Down(ctx context.Context, o Options) error {
	report := progress.New(o.Progress)
	run := runDir(o.RunDir)
	if err := checkRoot(); err != nil {
		return fmt.Errorf("take down: %w", err)
	}
	unlock, err := run.lock(ctx, report)
	if err != nil {
		return fmt.Errorf("take down: %w", err)
	}
	defer unlock()
	err = report.Step(ctx, "stop processes", func(ctx context.Context) error { return stopAll(ctx, run) })
	if err != nil {
		return fmt.Errorf("take down: %w", err)
	}
	err = report.Step(ctx, "remove network and disks", func(context.Context) error {
		if err := run.namespace().Delete(); err != nil {
			return err
		}
		return run.removeCluster()
	})
	if err != nil {
		return fmt.Errorf("take down: %w", err)
	}
	return nil
}

// stopAll kills every process that has a record, whatever the state says: a record may be all that an interrupted
// up left. Nothing is asked to end by itself, since all its data are removed next, and the API server would linger
// for a minute without its etcd.
func stopAll(ctx context.Context, run runDir) error {
	records, err := filepath.Glob(run.path("processes", "*.json"))
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range records {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		errs = append(errs, run.daemons().Stop(ctx, name, syscall.SIGKILL))
	}
	return errors.Join(errs...)
}

// removeCluster removes everything but logs and the lock, the state last: until then down can be repeated.
func (r runDir) removeCluster() error {
	entries, err := os.ReadDir(string(r))
	if err != nil {
		return fmt.Errorf("remove cluster: %w", err)
	}
	for _, entry := range entries {
		switch path := r.path(entry.Name()); path {
		case r.path("log"), r.path("lock"), r.stateFile():
		default:
			if err := os.RemoveAll(path); err != nil {
				return fmt.Errorf("remove cluster: %w", err)
			}
		}
	}
	if err := os.Remove(r.stateFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove cluster: %w", err)
	}
	return nil
}

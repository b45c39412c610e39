// SPDX-License-Identifier: Apache-2.0

package work

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/tools/pgbench"
)

const (
	// startPatience is how long a server may take to start, stopGrace to stop: it writes out what it has in memory.
	startPatience = 5 * time.Minute
	stopGrace     = 10 * time.Minute
	readyInterval = 100 * time.Millisecond
)

// programsPattern is where Debian has PostgreSQL's programs, of each major version.
const programsPattern = "/usr/lib/postgresql/*/bin"

// findPrograms is the directory of the latest version that has all programs.
func findPrograms(pattern string) (string, error) {
	servers, err := filepath.Glob(pattern + "/postgres")
	latest, found := 0, ""
	for _, path := range servers {
		directory := filepath.Dir(path)
		major, errMajor := strconv.Atoi(filepath.Base(filepath.Dir(directory)))
		clients, errClients := filepath.Glob(directory + "/pgbench")
		if errMajor == nil && errClients == nil && len(clients) == 1 && major > latest {
			latest, found = major, directory
		}
	}
	if found == "" {
		return "", errors.Join(fmt.Errorf("no postgres with pgbench in %s", pattern), err)
	}
	return found, nil
}

// during does something while the server runs, and stops it, also if that fails. It returns how long stopping took.
func (s server) during(ctx context.Context, do func(context.Context) error) (stopping time.Duration, err error) {
	serving, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		_, err := s.Run(serving, hostexec.Cmd{Args: pgbench.Server(s.Workload, s.programs, s.Directory), Grace: stopGrace})
		ended <- err
	}()
	if err := s.awaitReady(ctx, ended); err != nil {
		stop()
		return 0, err
	}
	err = do(ctx)
	began := time.Now()
	stop()
	errStop := stopped(<-ended)
	return time.Since(began), errors.Join(err, errStop)
}

// stopped is nil for a server that has ended well when it was stopped.
func stopped(err error) error {
	var exit *hostexec.ExitError
	if errors.As(err, &exit) && exit.Code == 0 {
		return nil
	}
	return err
}

// awaitReady waits until the server takes connections.
func (s server) awaitReady(ctx context.Context, ended chan error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startPatience,
		fmt.Errorf("the server takes no connections after %s", startPatience))
	defer cancel()
	tick := time.NewTicker(readyInterval)
	defer tick.Stop()
	for {
		if _, err := s.Run(ctx, hostexec.Cmd{Args: pgbench.Ready(s.programs, s.Directory)}); err == nil {
			return nil
		}
		select {
		case err := <-ended:
			ended <- err
			return errors.Join(errors.New("the server ended before it took connections"), err)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

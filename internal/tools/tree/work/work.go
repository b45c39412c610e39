// SPDX-License-Identifier: Apache-2.0

package work

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/hostfs"
	"zfsbench.io/operator/internal/tools/builtin/files"
	"zfsbench.io/operator/internal/tools/tree"
)

// Options are what to do.
type Options struct {
	// Directory is where the trees are made, each worker's in its own directory. It is created if it does not exist.
	Directory string
	Shape     tree.Shape
	Workers   int
	Phases    []v1alpha1.TreePhase
	// MaxTime ends each phase; 0 for no limit.
	MaxTime time.Duration
	// Fsync is called for each file that is written.
	Fsync bool
	// Seed is the seed of the files' data.
	Seed uint64
	// Status gets a line with the name of the phase and the percentage that is done; nil for none.
	Status io.Writer
}

// Run runs all phases. Unless the first phase is create, the tree must exist as create leaves it. A phase that runs out
// of time or space ends, and the next one works with what exists; any other failure ends the run.
func Run(o Options) ([]result.Phase, error) {
	if err := os.MkdirAll(o.Directory, 0o700); err != nil {
		return nil, err
	}
	crew := make([]*worker, o.Workers)
	for i := range crew {
		crew[i] = newWorker(o, i)
	}
	var measured []result.Phase
	for _, name := range o.Phases {
		p, err := o.run(crew, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		measured = append(measured, p)
	}
	return measured, nil
}

// run runs one phase with all workers at once, and then writes out what is still in memory.
func (o Options) run(crew []*worker, name v1alpha1.TreePhase) (result.Phase, error) {
	do, known := steps[name]
	if !known {
		return result.Phase{}, errors.New("no such phase")
	}
	halt := &halt{}
	for _, w := range crew {
		w.begin(halt)
	}
	stopStatus, stopTimer := files.ReportStatus(o.Status, string(name), progress(crew)), func() bool { return true }
	began := time.Now()
	if o.MaxTime > 0 {
		stopTimer = time.AfterFunc(o.MaxTime, func() { halt.set(result.EndedByTime) }).Stop
	}
	errs := make([]error, len(crew))
	var all sync.WaitGroup
	for i, w := range crew {
		all.Go(func() {
			errs[i] = do(w)
			if errs[i] != nil {
				halt.set("")
			}
		})
	}
	all.Wait()
	runtime := time.Since(began)
	stopTimer()
	stopStatus()
	if err := errors.Join(errs...); err != nil {
		return result.Phase{}, err
	}
	synced := time.Now()
	if err := (hostfs.Host{}).SyncMount(o.Directory); err != nil {
		return result.Phase{}, err
	}
	p := result.Phase{Name: string(name), Reads: name == v1alpha1.TreeRead,
		SyncNanoseconds: time.Since(synced).Nanoseconds(), Ended: halt.reason()}
	err := sum(&p, crew, runtime)
	return p, err
}

// sum adds up what all workers have done.
func sum(p *result.Phase, crew []*worker, runtime time.Duration) error {
	var latencies result.Recorder
	for _, w := range crew {
		p.IOs += w.done.Load()
		p.Bytes += w.bytes
		latencies.Add(&w.latencies)
	}
	if p.IOs == 0 {
		return errors.New("there was nothing to do")
	}
	p.RuntimeNanoseconds = max(1, runtime.Nanoseconds())
	seconds := float64(p.RuntimeNanoseconds) / 1e9
	p.IOPS, p.BandwidthBytesPerSecond = float64(p.IOs)/seconds, float64(p.Bytes)/seconds
	p.Latency = latencies.Latency()
	return nil
}

// progress is how much of a phase all workers have done.
func progress(crew []*worker) func() (done, total int64) {
	return func() (done, total int64) {
		for _, w := range crew {
			done, total = done+w.done.Load(), total+w.todo
		}
		return done, total
	}
}

// halt ends a phase for all workers. The first reason counts.
type halt struct{ why atomic.Pointer[string] }

func (h *halt) set(why string) { h.why.CompareAndSwap(nil, &why) }

func (h *halt) isSet() bool { return h.why.Load() != nil }

// reason is empty for a phase that was not halted.
func (h *halt) reason() string { return ptr.Deref(h.why.Load(), "") }

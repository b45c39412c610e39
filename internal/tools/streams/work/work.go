// SPDX-License-Identifier: Apache-2.0

package work

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/hostfs"
	"zfsbench.io/operator/internal/tools/builtin/files"
)

// Options are what to do.
type Options struct {
	// Directory is where the files are made, in a directory for each count. It is made, too, if it is not there.
	Directory string
	// Counts are the numbers of streams at once.
	Counts []int32
	// StreamBytes is what each stream moves, in blocks of BlockBytes.
	StreamBytes, BlockBytes int64
	Phases                  []v1alpha1.StreamsPhase
	// Seed is the seed of the files' data.
	Seed uint64
	// Status gets a line with the name of the phase and the percentage that is done; nil for none.
	Status io.Writer
}

// Run runs all phases, each with all stream counts. Files that no earlier phase writes must exist as the write phase
// leaves them.
func Run(o Options) ([]result.Phase, error) {
	if o.StreamBytes < 1 || o.BlockBytes < 1 {
		return nil, fmt.Errorf("streams of %d bytes in blocks of %d", o.StreamBytes, o.BlockBytes)
	}
	var measured []result.Phase
	for _, phase := range o.Phases {
		for _, count := range o.Counts {
			name := string(phase.Operation(count))
			p, err := o.run(phase, count, name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			measured = append(measured, p)
		}
	}
	return measured, nil
}

// run runs count streams at once. Each stream also writes out what it has left in memory, and that time counts. The
// filesystem's remaining work is timed separately.
func (o Options) run(phase v1alpha1.StreamsPhase, count int32, name string) (result.Phase, error) {
	move, known := map[v1alpha1.StreamsPhase]func(*stream) error{
		v1alpha1.StreamsWrite: (*stream).write, v1alpha1.StreamsRead: (*stream).read,
	}[phase]
	if !known {
		return result.Phase{}, errors.New("no such phase")
	}
	dir := filepath.Join(o.Directory, fmt.Sprint(count))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return result.Phase{}, err
	}
	all := make([]*stream, count)
	for i := range all {
		all[i] = &stream{
			path: filepath.Join(dir, fmt.Sprintf("s%d", i)), bytes: o.StreamBytes,
			buffer: make([]byte, min(o.BlockBytes, o.StreamBytes)),
			random: rand.NewPCG(o.Seed, uint64(count)<<32|uint64(i)),
		}
	}
	stop := files.ReportStatus(o.Status, name, progress(all))
	runtime, err := together(all, move)
	stop()
	if err != nil {
		return result.Phase{}, err
	}
	synced := time.Now()
	if err := (hostfs.Host{}).SyncMount(o.Directory); err != nil {
		return result.Phase{}, err
	}
	p := result.Phase{Name: name, Reads: phase == v1alpha1.StreamsRead, SyncNanoseconds: time.Since(synced).Nanoseconds()}
	sum(&p, all, runtime)
	return p, nil
}

// together starts all streams at the same time, and ends with the last.
func together(all []*stream, move func(*stream) error) (time.Duration, error) {
	errs := make([]error, len(all))
	start := make(chan struct{})
	var running sync.WaitGroup
	for i, s := range all {
		running.Go(func() {
			<-start
			errs[i] = move(s)
		})
	}
	began := time.Now()
	close(start)
	running.Wait()
	return time.Since(began), errors.Join(errs...)
}

// sum adds up what all streams have done.
func sum(p *result.Phase, all []*stream, runtime time.Duration) {
	var latencies result.Recorder
	for _, s := range all {
		p.IOs += s.blocks
		p.Bytes += s.done.Load()
		latencies.Add(&s.latencies)
	}
	p.RuntimeNanoseconds = max(1, runtime.Nanoseconds())
	seconds := float64(p.RuntimeNanoseconds) / 1e9
	p.IOPS, p.BandwidthBytesPerSecond = float64(p.IOs)/seconds, float64(p.Bytes)/seconds
	p.Latency = latencies.Latency()
}

// progress is how many bytes all streams have moved.
func progress(all []*stream) func() (done, total int64) {
	return func() (done, total int64) {
		for _, s := range all {
			done, total = done+s.done.Load(), total+s.bytes
		}
		return done, total
	}
}

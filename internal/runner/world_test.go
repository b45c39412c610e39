// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/journal"
	"zfsbench.io/operator/internal/runner/preflight"
	"zfsbench.io/operator/internal/storage/blockdev"
	"zfsbench.io/operator/internal/storage/zfs"
)

// world is a node and a sink that only exist in memory, except for the scratch directory. It writes down in which order
// the engine does things, can let any of them fail or kill the runner there, and complains about everything that must
// never happen: a write before the intent is recorded in both places, a pool destroyed that is not the benchmark's, a
// trial measured again after its result was recorded.
//
// What the real OpenZFS, disks and sandboxes do is proven on the development cluster.
type world struct {
	t       *testing.T
	scratch string

	mu         sync.Mutex
	transcript []string
	// generation is the living runner's; calls of earlier ones never return.
	generation int
	crashed    chan struct{}
	end        chan struct{}
	// fault decides about the n-th call, from 0.
	fault func(n int, call string) fault
	// on is called when a call with this prefix is made.
	on map[string]func()

	disks map[string]*fakeDisk
	files map[string]int64
	pools map[string]*fakePool
	// limits are the limits of the benchmark's dataset, in bytes, by property; 0 for none.
	limits map[string]int64
	// mounted is the dataset, or the device, at the target directory.
	mounted string

	ownership *result.Ownership
	trials    map[int]result.Trial
	progress  *result.Progress
	suspend   bool
	// sinkLost says that the sink has lost everything.
	sinkLost  bool
	suspended bool
	// inVolume is the UUID of the filesystem on the volume of the benchmark's pool.
	inVolume string
	// volume is the dataset that the driver has made, and hasPod says that a pod has it mounted. source is what the kernel
	// calls it, if not by its name; asked is the last request.
	volume, source string
	hasPod         bool
	asked          *result.ClaimRequest
	// precious is what somebody has on the volume, kept that it was kept. another says that the device's name means
	// another volume by now, refusal is what the manager says of a volume that it does not give.
	precious, kept string
	another        bool
	refusal        string
	// heldHangs says that a volume in use answers no more. opens lets a device open, if it is set, and closed is
	// closed with it.
	heldHangs     bool
	opens, closed chan struct{}
	// stuck is what the manager says of a volume that never is as wanted.
	stuck string
	// readOnly says that the kernel has found a baseline damaged.
	readOnly bool
	// arrays are the md arrays that the kernel has, by their devices. degraded says that one has lost a device,
	// checksArrays that the node checks them in between.
	arrays                 map[string]*fakeArray
	degraded, checksArrays bool
	// losesMembers says that a device fails while an array recovers to it, mismatched that a check finds differences.
	losesMembers, mismatched bool
	// cannotTrim says that a filesystem cannot discard, parityDiscards what the kernel does with that
	// in arrays with parity, and unreadableDiscards why that cannot be known.
	cannotTrim         bool
	parityDiscards     string
	unreadableDiscards error
	// cpu and others count how often it was read what the node does, and what of it for others.
	cpu, others int
	// iostats counts how often it was read how long requests to vdevs took.
	iostats int64
	// zdb is why zdb fails.
	zdb error
	// observed counts how often the monitors looked, blind is what they could not read. unkept is why their series cannot
	// be kept, series is what was kept of what they saw.
	observed atomic.Int64
	blind    error
	unkept   error
	series   map[string][]byte
	// unplugged says that the node has lost the pool's disks, which OpenZFS has not noticed.
	unplugged bool
	// unavailable says that the benchmark's pools lack devices without which they cannot be imported.
	unavailable bool
	// hangs is the call that then waits in the kernel until its time is up.
	hangs string
	// late is the workload whose tool never ends in time.
	late   string
	refuse map[string]error
	// whereabouts is where recorded disks are, by path, and forgotten are those that are given up.
	whereabouts map[string]blockdev.DiskState
	forgotten   []string
	// undiscardable are disks that cannot be discarded.
	undiscardable []string
	// lacks are tools that are not there.
	lacks map[string]error
	// module is the version of the kernel module, and of the userland unless that is set.
	module, userland string
	kernel           fakeModule
	fioOutput        map[string]string
	// stalls makes the engine look for scans without progress all the time.
	stalls bool
	// repaired is what a scrub finds.
	repaired int64
	// goesOn says that a tool beside which something is done with the pool runs until it is asked to end. usedBytes is
	// what is in the pool of usableBytes, capacityBytes what fits into it before there is no space left.
	goesOn                   bool
	usedBytes, capacityBytes int64
	// status is what zpool says of a pool; without it, what the pool is.
	status *zfs.Status
	clock  time.Time
}

// fault is what happens to a call.
type fault int

const (
	fine fault = iota
	// fails does nothing and returns an error.
	fails
	// failsAfter does it and returns an error all the same.
	failsAfter
	// diesBefore kills the runner before the call has an effect, diesAfter after it.
	diesBefore
	diesAfter
	// busy does nothing and says that it may be tried again.
	busy
)

type fakeDisk struct {
	diskGUID string
	// partitions are their GUIDs.
	partitions string
	// filesystem is the UUID of the one in a partition. array is the UUID of the md array that the partition is a member
	// of, whether the kernel has it or not, and onArray the UUID of a filesystem on it.
	filesystem, array, onArray string
}

type fakePool struct {
	name, guid, comment, owner string
	paths, datasets            []string
	imported, readOnly         bool
	// offline are the devices that are out of use, scan is the last scrub or resilver.
	offline []string
	scan    zfs.Scan
}

var errFault = errors.New("trouble")

func newWorld(t *testing.T) *world {
	w := &world{
		t: t, scratch: filepath.Join(t.TempDir(), "scratch"), crashed: make(chan struct{}), end: make(chan struct{}),
		disks: map[string]*fakeDisk{"/dev/disk/by-id/d0": {}, "/dev/disk/by-id/d1": {}}, files: map[string]int64{},
		arrays: map[string]*fakeArray{}, pools: map[string]*fakePool{
			"tank": {name: "tank", guid: "1", comment: "not ours", paths: []string{"/dev/disk/by-id/d9"},
				datasets: []string{"tank"}, imported: true},
		},
		trials: map[int]result.Trial{}, series: map[string][]byte{}, refuse: map[string]error{}, module: "2.3.9-0+deb13u1",
		clock: time.Now().UTC(), on: map[string]func(){}, limits: map[string]int64{}, kernel: newFakeModule(),
		fioOutput: map[string]string{"rw=write": "fio-3.39-write.json", "rw=read": "fio-3.39-read.json",
			"create_only": "fio-3.39-randrw-layout.json"},
	}
	t.Cleanup(func() { close(w.end) })
	return w
}

// call writes a call down, and does it unless there is a fault.
func (v *view) call(line string, do func() error) error {
	w := v.world
	w.mu.Lock()
	if v.generation != w.generation {
		w.mu.Unlock()
		v.stop()
	}
	n := len(w.transcript)
	w.transcript = append(w.transcript, line)
	for prefix, do := range w.on {
		if strings.HasPrefix(line, prefix) {
			do()
		}
	}
	kind := fine
	if w.fault != nil {
		kind = w.fault(n, line)
	}
	var err error
	if kind != fails && kind != diesBefore && kind != busy {
		err = do()
	}
	if kind == diesBefore || kind == diesAfter {
		w.generation++
		close(w.crashed)
		w.mu.Unlock()
		v.stop()
	}
	w.mu.Unlock()
	switch kind {
	case fails, failsAfter:
		return errFault
	case busy:
		return unix.EBUSY
	}
	return err
}

// waits returns nil, unless the call is one that waits for a disk that is gone: then what ended the waiting.
func (v *view) waits(ctx context.Context, call string) error {
	if v.hangs == "" || !strings.HasPrefix(call, v.hangs) {
		return nil
	}
	v.mu.Lock()
	v.unplugged = !v.stalls
	v.mu.Unlock()
	<-ctx.Done()
	return fmt.Errorf("%s: %w", call, context.Cause(ctx))
}

// stop is the end of a killed runner's goroutine: it does nothing any more until the test is over.
func (v *view) stop() {
	<-v.end
	runtime.Goexit()
}

// view is the world as one runner sees it.
type view struct {
	*world
	generation int
}

// engine starts a new runner on the world.
func (w *world) engine(p plan.Plan) *Engine {
	w.t.Helper()
	w.mu.Lock()
	v := &view{world: w, generation: w.generation}
	w.mounted = "" // the kernel takes mounts away with the process
	w.mu.Unlock()
	e, err := New(p, plan.Digest(p), Deps{
		Pools: v, Disks: fakeDisks{v}, Files: func(dir string) Files { return fakeFiles{v, dir} }, Mounts: fakeMounts{v},
		Baselines: fakeBaselines{v}, Node: fakeNode{v}, Parameters: fakeParameters{v}, Tool: v.tool, Tools: v.tools,
		Sink: fakeSink{v}, Claims: fakeClaims{v}, PodVolumes: fakePods{v}, Series: fakeSeries{v},
		Filesystem: func(string) (preflight.Filesystem, error) {
			return preflight.Filesystem{Kind: "ext4", FreeBytes: 1 << 40}, nil
		},
		Now: w.now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	guid := 0
	e.newGUID = func() string { guid++; return fmt.Sprintf("guid-%d", guid) }
	// Long enough for a slow machine. A test that waits for one shortens it.
	e.timings.teardownTimeout, e.timings.reportTimeout = time.Minute, time.Minute
	e.timings.KernelPatience = time.Second
	e.timings.BusyPoll, e.timings.SyncPoll, e.timings.ArrayPoll, e.timings.ClaimPoll = time.Millisecond, time.Millisecond,
		time.Millisecond,
		time.Millisecond
	if w.stuck != "" {
		e.timings.ClaimPatience = 50 * time.Millisecond
	}
	e.timings.InspectionDeadline = testInspectionDeadline
	e.timings.toolDeadline = func(p plan.Expanded, of v1alpha1.Workload) time.Duration {
		if of.Name == w.late {
			return time.Nanosecond
		}
		return plan.ToolDeadline(p, of)
	}
	// Transcripts contain these polls: on a slow machine, a run longer than a poll's interval would have one more.
	e.timings.StatePoll, e.timings.suspendPoll = time.Hour, time.Hour
	if w.stalls {
		e.timings.ScanPoll, e.timings.ScanPatience = time.Millisecond, 50*time.Millisecond
	} else if w.hangs != "" {
		e.timings.StatePoll = time.Millisecond
	}
	return e
}

// execute runs a runner until it ends or is killed; then ok is false.
func (w *world) execute(ctx context.Context, p plan.Plan) (o Outcome, ok bool) {
	w.t.Helper()
	return w.work(func() Outcome { return w.engine(p).Execute(ctx) })
}

func (w *world) cleanUp(p plan.Plan) (o Outcome, ok bool) {
	w.t.Helper()
	return w.work(func() Outcome { return w.engine(p).Cleanup(w.t.Context()) })
}

func (w *world) work(do func() Outcome) (o Outcome, ok bool) {
	w.mu.Lock()
	crashed := make(chan struct{})
	w.crashed = crashed
	w.mu.Unlock()
	// A killed runner's lock goes with its process; here its descriptor stays open.
	_ = os.Remove(filepath.Join(w.scratch, "lock"))
	done := make(chan Outcome, 1)
	go func() { done <- do() }()
	select {
	case o := <-done:
		return o, true
	case <-crashed:
		// The kernel takes a dead runner's mounts away.
		w.mounted = ""
		return Outcome{}, false
	case <-time.After(2 * time.Minute): // only a runner that hangs takes so long, on whatever machine
		w.t.Fatalf("the runner does not end:\n%s", strings.Join(w.transcript, "\n"))
		return Outcome{}, false
	}
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(time.Second)
	return w.clock
}

// mustBeRecorded complains about a write to something that is not recorded as owned in both places.
func (w *world) mustBeRecorded(what string, matches func(result.OwnedDevice) bool) {
	w.mustBeRecordedAs(what, func(own *result.Ownership) bool { return slices.ContainsFunc(own.Devices, matches) })
}

func (w *world) mustBeRecordedAs(what string, recorded func(*result.Ownership) bool) {
	j, err := journal.Open(filepath.Join(w.scratch, testUID, "journal"), "", begin)
	if err != nil {
		w.t.Errorf("%s: %v", what, err)
		return
	}
	for where, own := range map[string]*result.Ownership{"the journal": j.Owned(), "the sink": w.ownership} {
		if where == "the sink" && w.sinkLost {
			continue
		}
		if own == nil || !recorded(own) {
			w.t.Errorf("%s is written to, but %s does not say so", what, where)
		}
	}
}

// left is what the benchmark has left on the node and at the sink.
func (w *world) left() []string {
	var left []string
	for name, p := range w.pools {
		if name != "tank" || !p.imported {
			left = append(left, "pool "+name)
		}
	}
	for path, d := range w.disks {
		if *d != (fakeDisk{}) {
			left = append(left, "disk "+path)
		}
	}
	for path := range w.files {
		left = append(left, "file "+path)
	}
	for device := range w.arrays {
		left = append(left, "md array "+device)
	}
	if w.volume != "" || w.hasPod {
		left = append(left, "claimed volume "+w.volume)
	}
	left = append(left, w.kernel.changed()...)
	if w.mounted != "" {
		left = append(left, "mount of "+w.mounted)
	}
	if w.ownership != nil {
		left = append(left, "ownership at the sink")
	}
	if _, err := os.Stat(filepath.Join(w.scratch, testUID)); err == nil {
		left = append(left, "workspace")
	}
	slices.Sort(left)
	return left
}

// The engine's view of OpenZFS.

var begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

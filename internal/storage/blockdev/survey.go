// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/storage/zfs"
)

// surveyPatience bounds what a survey waits for, so that a dead disk is reported within a minute.
type surveyPatience struct {
	// answer is for the first read of a disk, pools for the list of all pools, check for the whole check of a disk, and
	// all for everything.
	answer, pools, check, all time.Duration
}

// Survey looks at all disks of a node. It has the guard's checks and nothing that writes.
type Survey struct {
	guard    *Guard
	patience surveyPatience
}

// NewSurvey returns a survey of this machine; its arguments are those of New. It cannot open a device for writing.
func NewSurvey(local, host hostexec.Runner, residues Residues, volumes ...Volume) *Survey {
	g := newGuard(machine{root: "/", devices: readOnly{linux{}}}, local, host, residues)
	g.volumes = volumes
	return newSurvey(g)
}

func newSurvey(g *Guard) *Survey {
	return &Survey{guard: g, patience: surveyPatience{
		answer: 15 * time.Second, pools: 30 * time.Second, check: 40 * time.Second, all: 45 * time.Second,
	}}
}

// readOnly refuses to open devices for writing.
//
// The last check of a disk opens it with O_EXCL for a moment, as the guard does, so somebody else's mkfs may find it
// busy then. There is no other way to see every use: what the kernel itself has claimed, such as a module's backing
// device, is in no list of /proc or sysfs, and only this open fails because of it. A disk that any other check refuses,
// because it has data or is in use, is never opened like that.
type readOnly struct{ devices }

func (r readOnly) Open(path string, how mode) (device, error) {
	if how == exclusiveWrite {
		return nil, fmt.Errorf("open %s: a survey never writes", path)
	}
	return r.devices.Open(path, how)
}

// Found is a whole disk of the node, and what the guard says about it.
type Found struct {
	// Path is the best stable path, empty for none; Aliases are the others.
	Path    string
	Aliases []string
	// Device is the kernel's path, for example /dev/sda.
	Device    string
	Serial    string
	SizeBytes int64
	Attributes
	// Refusal is nil for a blank disk, or a *Refusal.
	Refusal error
	// UnsignedData says that the disk is refused only because of data without a signature, which a policy may let
	// benchmarks overwrite.
	UnsignedData bool
}

// errNoAnswer is a disk that does not answer.
var errNoAnswer = errors.New("it does not answer")

// Disks lists the node's whole disks in the order of the kernel's names, each with what the guard says about it. A disk
// that does not answer, or whose check has not ended when the time for all disks has passed, is refused.
func (s *Survey) Disks(ctx context.Context) ([]Found, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.patience.all,
		fmt.Errorf("%w within the %s that all disks have together", errNoAnswer, s.patience.all))
	defer cancel()
	found, serialsErr, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	s.judge(ctx, found, serialsErr)
	return found, nil
}

// list finds the disks; serialsErr is why no serial numbers are known.
func (s *Survey) list(ctx context.Context) (found []Found, serialsErr, err error) {
	all, err := s.guard.node.readTree()
	if err != nil {
		return nil, nil, err
	}
	links, err := s.guard.node.stablePaths()
	if err != nil {
		return nil, nil, err
	}
	serials, serialsErr := s.guard.serials(ctx)
	for _, b := range all {
		if b.Disk == "" && b.SizeBytes > 0 && wholeDisk().MatchString(b.Name) {
			found = append(found, s.describe(b, serials[b.Name], links["/dev/"+b.Name]))
		}
	}
	slices.SortFunc(found, func(a, b Found) int { return strings.Compare(a.Device, b.Device) })
	return found, serialsErr, nil
}

func (s *Survey) describe(b block, serial string, paths []string) Found {
	f := Found{Device: "/dev/" + b.Name, Serial: serial, SizeBytes: b.SizeBytes}
	f.Attributes = s.guard.node.readAttributes(b)
	if len(paths) > 0 {
		f.Path, f.Aliases = paths[0], paths[1:]
	}
	return f
}

// judge fills in what the guard says about each disk, or that serial numbers are not known. First each disk is
// read once: what reads every disk of the node, as `zpool import` does, must leave out those that do not answer.
func (s *Survey) judge(ctx context.Context, disks []Found, serialsErr error) {
	each(disks, len(disks), func(f *Found) {
		if err := s.answers(ctx, f); err != nil {
			f.Refusal = f.refused(StepHost, err)
		} else if serialsErr != nil {
			f.Refusal = f.refused(StepSerial, serialsErr)
		}
	})
	if serialsErr != nil {
		return
	}
	look, err := within(ctx, func() (*hostState, error) { return s.guard.readHostState(ctx, 0) })
	if err == nil {
		s.limitPoolScan(ctx, look, disks)
	}
	each(disks, surveyedAtOnce, func(f *Found) {
		if f.Refusal == nil {
			f.UnsignedData, f.Refusal = s.check(ctx, look, err, *f)
		}
	})
}

// surveyedAtOnce bounds the memory that checks take.
const surveyedAtOnce = 8

// each calls do for all disks, so many at once, and waits.
func each(disks []Found, atOnce int, do func(*Found)) {
	var wait sync.WaitGroup
	slots := make(chan struct{}, max(1, atOnce))
	for i := range disks {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			do(&disks[i])
		})
	}
	wait.Wait()
}

// refused is a refusal of the disk.
func (f *Found) refused(step Step, cause error) error {
	return &Refusal{Device: filepath.Base(f.Device), Path: f.path(), Step: step, Cause: cause}
}

// path is the stable path, or else the kernel's.
func (f *Found) path() string {
	if f.Path != "" {
		return f.Path
	}
	return f.Device
}

// answers reads the first bytes. Only a disk that does not answer is an error here; the guard explains all others.
func (s *Survey) answers(ctx context.Context, f *Found) error {
	ctx, cancel := patient(ctx, s.patience.answer)
	defer cancel()
	_, err := within(ctx, func() (struct{}, error) {
		opened, err := s.guard.node.Open(s.guard.node.path(f.Device), shared)
		if err == nil {
			_, _ = opened.ReadAt(make([]byte, 4096), 0)
			err = opened.Close()
		}
		return struct{}{}, err
	})
	if errors.Is(err, errNoAnswer) {
		return err
	}
	return nil
}

// check runs the guard's checks on a disk, with its own serial number and size in place of a policy's. unsigned says
// that the disk would pass them with a policy's consent to overwrite data without a signature.
func (s *Survey) check(ctx context.Context, look *hostState, lookErr error, f Found) (unsigned bool, refusal error) {
	if f.Serial == "" {
		return false, f.refused(StepSerial, errors.New("it has no serial number, so no policy can name it"))
	}
	want := Want{Name: filepath.Base(f.Device), Path: f.path(), Serial: f.Serial, SizeBytes: f.SizeBytes}
	ctx, cancel := patient(ctx, s.patience.check)
	defer cancel()
	verdict := func() error {
		refusal, _ := within(ctx, func() (error, error) {
			return s.guard.checkAll(ctx, []Want{want}, look, lookErr)[0].Refusal, nil
		})
		return refusal
	}
	refusal = verdict()
	if data := (*unsignedError)(nil); errors.As(refusal, &data) {
		want.OverwriteUnsigned = true
		unsigned = verdict() == nil
	}
	if err := context.Cause(ctx); err != nil {
		return false, f.refused(StepHost, err)
	}
	return unsigned, refusal
}

// InUse says whether somebody uses the disk or has data on it. Any other disk with a refusal cannot be used as it is,
// or could not be examined.
func (f Found) InUse() bool {
	var refusal *Refusal
	if !errors.As(f.Refusal, &refusal) {
		return false
	}
	switch refusal.Step {
	case StepHost, StepPath, StepKind, StepSerial, StepSize, StepReadOnly:
		return false
	}
	if refusal.Step == StepOpen { // what it finds wraps as well
		var errno syscall.Errno
		return !errors.As(refusal.Cause, &errno) || errno == syscall.EBUSY
	}
	return !wraps(refusal.Cause)
}

// wraps says whether an error has a cause: the other checks say what they find in an error of their own, and wrap the
// errors that kept them from looking.
func wraps(err error) bool {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return slices.ContainsFunc(joined.Unwrap(), wraps)
	}
	return errors.Unwrap(err) != nil
}

// limitPoolScan bounds how long OpenZFS may look for pools, and keeps it from reading disks that do not answer. If
// there are any, pools of which nothing is on another disk are not found; the labels of each disk are read all the
// same.
func (s *Survey) limitPoolScan(ctx context.Context, look *hostState, disks []Found) {
	var alive []string
	for _, f := range disks {
		if errors.Is(f.Refusal, errNoAnswer) {
			continue
		}
		alive = append(alive, f.Device)
		for _, p := range look.tree.partitions(filepath.Base(f.Device)) {
			alive = append(alive, "/dev/"+p.Name)
		}
	}
	if !slices.ContainsFunc(disks, func(f Found) bool { return errors.Is(f.Refusal, errNoAnswer) }) {
		alive = nil // everywhere
	}
	look.pools = sync.OnceValues(func() ([]poolDevice, error) {
		ctx, cancel := patient(ctx, s.patience.pools)
		defer cancel()
		found, err := within(ctx, func() ([]poolDevice, error) { return s.guard.readPoolsOn(ctx, alive) })
		if errors.Is(err, errNoAnswer) {
			err = fmt.Errorf("OpenZFS was asked for pools: %w", err)
		}
		return found, err
	})
}

// patient ends after a while, with errNoAnswer as the cause.
func patient(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, patience, fmt.Errorf("%w within %s", errNoAnswer, patience))
}

// within waits for what may never return, until the context ends. Its cause is then the error.
func within[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var none T
	if ctx.Err() != nil {
		return none, context.Cause(ctx)
	}
	answers := make(chan answer, 1)
	go func() {
		value, err := do()
		answers <- answer{value, err}
	}()
	select {
	case got := <-answers:
		return got.value, got.err
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}

// Pools are the names of the imported pools.
func (s *Survey) Pools(ctx context.Context) ([]string, error) {
	ctx, cancel := patient(ctx, s.patience.pools)
	defer cancel()
	pools, err := within(ctx, func() ([]zfs.Pool, error) { return s.guard.zfs.Pools(ctx) })
	if err != nil {
		return nil, fmt.Errorf("list pools: %w", err)
	}
	var names []string
	for _, p := range pools {
		names = append(names, p.Name)
	}
	return names, nil
}

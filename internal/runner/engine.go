// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/journal"
	"zfsbench.io/operator/internal/runner/preflight"
	"zfsbench.io/operator/internal/runner/target"
	"zfsbench.io/operator/internal/runner/workspace"
	"zfsbench.io/operator/internal/storage/blockdev"
)

// Engine executes one plan on the node it runs on. An engine is used once.
type Engine struct {
	Deps
	plan plan.Plan
	// expanded is the plan with the sizes on this node.
	expanded plan.Expanded
	digest   string
	ws       workspace.Workspace
	newGUID  func() string
	timings  timings
	journal  *journal.Journal
	progress *reporter
	// host is what the kinds of storage get from the engine.
	host *target.Host
	// sent are the trials whose results this process has sent to the sink.
	sent map[int]bool
	// found are the features of the variants' filesystems that this process has found out so far.
	found map[string]*result.Features
	// kept is the target of the last trial, if the next one is to run on it, too; else nil.
	kept *target.Target
	// gone says which recorded disks were given up.
	gone []string
	// recorded says that the sink still has an ownership record, although nothing is owned.
	recorded bool
}

// Outcome is how an engine ended.
type Outcome struct {
	// Progress is the report.
	Progress result.Progress
	// Interrupted says that the runner was stopped from outside; another runner continues.
	Interrupted bool
	// Err says why the report could not be delivered, or nil.
	Err error
}

// Final says that the report is delivered and no other runner has to continue: this one exits with 0.
func (o Outcome) Final() bool { return o.Err == nil && !o.Interrupted }

// New returns an engine for a plan, which the caller has verified against its digest.
func New(p plan.Plan, digest string, deps Deps) (*Engine, error) {
	ws, err := workspace.New(p.Scratch.Directory, p.Benchmark.UID)
	if err != nil {
		return nil, err
	}
	return &Engine{
		Deps: deps, plan: p, expanded: plan.Expand(p, nil), digest: digest, ws: ws, newGUID: uuid.NewString,
		timings: defaultTimings(),
		sent:    map[int]bool{}, found: map[string]*result.Features{},
	}, nil
}

// newHost gives the kinds of storage what they need from the engine.
func (e *Engine) newHost() *target.Host {
	return target.NewHost(target.Host{
		Pools: e.Pools, Disks: e.Disks, Mounts: e.Mounts, Baselines: e.Baselines, Node: e.Node, Claims: e.Claims,
		PodVolumes: e.PodVolumes, Journal: e.journal, Sink: e.Sink, BenchmarkUID: e.plan.Benchmark.UID, Digest: e.digest,
		Workspace: e.ws, NewGUID: e.newGUID, Timings: e.timings.Timings, ShowStep: e.showStep, Now: e.Now, Log: e.Log,
	})
}

// Execute runs what is left of the plan and reports. It returns when nothing of the benchmark is left on the node, or
// says what is. Ending the context with the cause ErrInterrupted stops the current trial, which then does not count.
func (e *Engine) Execute(ctx context.Context) Outcome {
	if err := e.toolRunner().AwaitImages(ctx); err != nil {
		return Outcome{Interrupted: true, Err: err} // this process has touched nothing, so there is nothing to report
	}
	unlock, err := e.begin(ctx, e.plan.Timeout())
	if err != nil {
		return e.conclude(ctx, err)
	}
	defer unlock()
	if last, done := e.alreadyReported(ctx); done {
		e.Log.Info("this plan has been reported before", "state", last.State)
		return Outcome{Progress: last, Err: e.ws.Remove()}
	}
	ctx, cancel := context.WithDeadlineCause(ctx, e.journal.Deadline(e.plan.Timeout()), errTimedOut)
	defer cancel()
	e.progress = newReporter(e.Deps, e.firstProgress())
	e.progress.start(ctx)
	return e.conclude(ctx, e.work(ctx))
}

// begin takes the node's lock, makes the workspace and opens the journal.
func (e *Engine) begin(ctx context.Context, patience time.Duration) (unlock func(), err error) {
	waiting, cancel := context.WithTimeoutCause(ctx, patience, errTimedOut)
	defer cancel()
	unlock, err = e.lock(waiting)
	if err != nil {
		return nil, err
	}
	if err = e.ws.Make(); err == nil {
		e.journal, err = journal.Open(e.ws.Journal(), e.digest, e.Now())
	}
	if err != nil {
		unlock()
		return nil, err
	}
	e.host = e.newHost()
	return unlock, nil
}

// alreadyReported finds the report of a runner that had removed its journal, but was replaced before it could exit.
func (e *Engine) alreadyReported(ctx context.Context) (result.Progress, bool) {
	if !e.journal.Fresh() {
		return result.Progress{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, e.timings.reportTimeout)
	defer cancel()
	last, err := e.Sink.Progress(ctx)
	if err != nil {
		e.Log.Warn("the last progress cannot be read", "error", err)
	}
	if last == nil || last.PlanDigest != e.digest {
		return result.Progress{}, false
	}
	failed := last.State == result.StateFailed && last.Failure.Reason != v1alpha1.ReasonInterrupted
	return *last, failed || last.State == result.StateComplete
}

// work does everything between begin and the report. Its error ends the benchmark.
func (e *Engine) work(ctx context.Context) error {
	if err := e.recoverLeftovers(ctx); err != nil {
		return err
	}
	if err := e.clearOthers(ctx); err != nil {
		return err
	}
	if err := e.continueJournal(); err != nil {
		return failure.Wrap(v1alpha1.ReasonRunnerFailed, "continue the journal", err)
	}
	if err := e.sendResults(ctx); err != nil {
		return failure.Wrap(v1alpha1.ReasonRunnerFailed, "send the results so far", err)
	}
	node := e.findNode(ctx)
	e.expanded = plan.Expand(e.plan, node.Memory)
	if len(e.pending()) == 0 && !e.plan.DryRun {
		return nil
	}
	if err := e.checkBeforehand(ctx, node); err != nil || e.plan.DryRun {
		return err
	}
	e.progress.announce(func(p *result.Progress) { p.State = result.StateRunning })
	return e.dropKept(ctx, e.runTrials(ctx))
}

// runTrials runs the pending trials, one after another.
func (e *Engine) runTrials(ctx context.Context) error {
	for pending := e.pending(); len(pending) > 0; pending = e.pending() {
		if err := e.checkSuspension(ctx); err != nil {
			return err
		}
		if err := e.runTrial(ctx, pending[0]); err != nil {
			return err
		}
	}
	return nil
}

// continueJournal ends a suspension. It starts a new journal if this one belongs to another plan, whose leftovers are
// gone by now.
func (e *Engine) continueJournal() error {
	if e.journal.PlanDigest() != e.digest {
		return e.journal.Restart(e.digest, e.Now())
	}
	return e.journal.Resume(e.Now())
}

// pending are the trials without a result, in order. Trials that the results so far make unnecessary are left out.
func (e *Engine) pending() []plan.Trial {
	var trials []plan.Trial
	for _, t := range experiment.EndOf(e.plan, e.journal.Results()).Wanted(e.plan) {
		if !e.journal.Finished(t.Index) {
			trials = append(trials, t)
		}
	}
	return trials
}

func (e *Engine) checkSuspension(ctx context.Context) error {
	asked, err := e.Sink.SuspendRequested(ctx)
	if err != nil {
		return failure.Wrap(v1alpha1.ReasonRunnerFailed, "find out whether the benchmark is to be suspended", err)
	}
	if asked {
		return errSuspended
	}
	return nil
}

// sendResults sends the results that the sink may not have.
func (e *Engine) sendResults(ctx context.Context) error {
	for _, trial := range e.journal.Results() {
		if e.sent[trial.Index] {
			continue
		}
		if err := e.Sink.PutTrial(ctx, trial); err != nil {
			return err
		}
		e.sent[trial.Index] = true
	}
	return nil
}

// disksOf lets the guard check the disks among devices; files need no guard.
func (e *Engine) disksOf(ctx context.Context, devices []plan.Device) []blockdev.Verdict {
	disks := preflight.Wants(devices)
	if len(disks) == 0 {
		return nil
	}
	return e.Disks.CheckAll(ctx, disks)
}

// files are the benchmark's file devices.
func (e *Engine) files() Files { return e.Files(e.ws.Files()) }

func (e *Engine) firstProgress() result.Progress {
	p := result.Progress{Version: result.Version, PlanDigest: e.digest, State: result.StatePreflight,
		Started: e.journal.Started()}
	p.Completed, p.Failed = e.counts()
	return p
}

// counts counts finished trials with and without a failure.
func (e *Engine) counts() (completed, failed int) {
	for _, t := range e.journal.Results() {
		switch {
		case t.PlanDigest != e.digest: // it belongs to another plan, whose leftovers are not removed yet
		case t.Failure != nil:
			failed++
		default:
			completed++
		}
	}
	return completed, failed
}

// atStep publishes what the current trial does.
func (e *Engine) atStep(t plan.Trial, doing, workload string) {
	e.Log.Info(doing, "trial", t.Index, "variant", t.Variant, "repetition", t.Repetition, "workload", workload)
	e.progress.update(func(p *result.Progress) {
		percent := 0
		if p.Current != nil && p.Current.Index == t.Index {
			percent = p.Current.Percent
		}
		p.Current = &result.CurrentTrial{
			Index: t.Index, Variant: t.Variant, Repetition: t.Repetition, Step: doing, Workload: workload, Percent: percent,
		}
	})
}

// showStep changes the text of the current trial's step in the progress.
func (e *Engine) showStep(text string) {
	e.showTrial(func(t *result.CurrentTrial) { t.Step = text })
}

// showTrial changes the current trial in the progress, if there is one.
func (e *Engine) showTrial(change func(*result.CurrentTrial)) {
	e.progress.update(func(p *result.Progress) {
		if p.Current != nil {
			change(p.Current)
		}
	})
}

// String names the plan in logs.
func (e *Engine) String() string {
	return fmt.Sprintf("%s/%s on %s", e.plan.Benchmark.Namespace, e.plan.Benchmark.Name, e.plan.Node.Name)
}

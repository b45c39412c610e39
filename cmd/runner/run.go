// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/internal/kube/sink"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner"
	"zfsbench.io/operator/internal/runner/mounts"
)

// The defaults of the scratch directory; the operator's are the same.
const (
	defaultScratch      = "/var/lib/zfsbench"
	defaultScratchLimit = "16Gi"
)

type runOptions struct {
	files        []string
	out          string
	scratch      string
	scratchLimit string
}

func runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run -f FILE --out DIRECTORY",
		Short: "Run a ZfsBenchmark on this host, without Kubernetes",
		Long: `Run a ZfsBenchmark on this host, without Kubernetes, and write the results into a directory.

Needs root, OpenZFS, fio, nsenter, blkid, wipefs and lsblk, and for baselines the tools of their
filesystems. Disks are only used if a BenchmarkDevicePolicy, in the same or another file, names
this host and the disk by path, serial and size; the node's UID in it is not compared. Run again
after a crash, it removes what is left over and goes on with the first trial that has no result.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := mounts.MakePrivate(); err != nil {
				return err
			}
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.ErrOrStderr(), cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&o.files, "file", "f", nil,
		"file with the ZfsBenchmark and its BenchmarkDevicePolicies, - for standard input; may be repeated")
	flags.StringVar(&o.out, "out", "", "directory for the results")
	flags.StringVar(&o.scratch, "scratch", defaultScratch,
		"directory for the journal and for file devices, unless a policy sets one")
	flags.StringVar(&o.scratchLimit, "scratch-limit", defaultScratchLimit,
		"how much space file devices may take there, unless a policy says")
	for _, name := range []string{"file", "out"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag of this function that this function did not define
		}
	}
	return cmd
}

func (o runOptions) run(ctx context.Context, stdin io.Reader, progress, summary io.Writer) error {
	m, err := readManifest(o.files, stdin)
	if err != nil {
		return err
	}
	p, err := o.plan(m)
	if err != nil {
		return err
	}
	out, err := sink.NewDirectory(o.out, progress)
	if err != nil {
		return err
	}
	if err := out.WriteFile("plan.json", string(plan.Encode(p))); err != nil {
		return err
	}
	engine, err := runner.New(p, plan.Digest(p),
		realDeps(p, out, sink.SeriesDirectory{Path: filepath.Join(o.out, "series")}, logger(slog.LevelWarn)))
	if err != nil {
		return err
	}
	outcome := engine.Execute(ctx)
	if err := writeReport(m.benchmark, p, out, outcome.Progress, summary); err != nil {
		return errors.Join(outcome.Err, err)
	}
	switch {
	case outcome.Err != nil:
		return outcome.Err
	case outcome.Progress.State != result.StateComplete:
		return errNotComplete
	}
	return nil
}

func (o runOptions) plan(m manifest) (plan.Plan, error) {
	host, err := os.Hostname()
	if err != nil {
		return plan.Plan{}, fmt.Errorf("find this host's name: %w", err)
	}
	limit, err := resource.ParseQuantity(o.scratchLimit)
	if err != nil {
		return plan.Plan{}, fmt.Errorf("--scratch-limit: %w", err)
	}
	return m.plan(host, plan.Scratch{Directory: o.scratch, LimitBytes: limit.Value()})
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/kube/sink"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/runner"
	"zfsbench.io/operator/internal/runner/mounts"
	"zfsbench.io/operator/internal/spec/schema"
	"zfsbench.io/operator/internal/storage/csi/podvolume"
)

// jobOptions are the arguments of a Job.
type jobOptions struct {
	plan, digest, namespace, base string
}

func (o *jobOptions) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.plan, "plan", "", "file with the plan")
	flags.StringVar(&o.digest, "plan-digest", "", "digest that the plan must have")
	flags.StringVar(&o.namespace, "namespace", "", "namespace of the ConfigMaps for progress and results")
	flags.StringVar(&o.base, "base", "", "name that those ConfigMaps start with")
	for _, name := range []string{"plan", "plan-digest", "namespace", "base"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag of this function that this function did not define
		}
	}
}

func executeCommand() *cobra.Command {
	var o jobOptions
	cmd := &cobra.Command{
		Use:   "execute",
		Short: "Execute a plan and report to the Kubernetes API (what the operator's Jobs run)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := mounts.MakePrivate(); err != nil {
				return err
			}
			return o.run(cmd.Context(), (*runner.Engine).Execute)
		},
	}
	o.bind(cmd)
	return cmd
}

func cleanupCommand() *cobra.Command {
	var o jobOptions
	cmd := &cobra.Command{
		Use:   "cleanup",
		Short: "Remove everything a plan has left on this node and report to the Kubernetes API",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), (*runner.Engine).Cleanup)
		},
	}
	o.bind(cmd)
	return cmd
}

// imagesDirectory is where the files of images appear, in the container's filesystem.
const imagesDirectory = "/run/zfsbench-images"

// run makes an engine that reports to this cluster, and runs work with it.
func (o jobOptions) run(ctx context.Context, work func(*runner.Engine, context.Context) runner.Outcome) error {
	p, err := o.load()
	if err != nil {
		return err
	}
	log := logger(slog.LevelInfo)
	s, err := o.sink(p, log)
	if err != nil {
		return err
	}
	deps := realDeps(p, s, seriesOnNode(p.Scratch.Directory, p.Benchmark.UID), log)
	deps.Claims, deps.PodVolumes = s, podvolume.Attacher{}
	deps.Images = podvolume.NewImages(s.ImagePod, jobspec.HolderFile, imagesDirectory)
	deps.OwnsNode = true
	deps.Corpora = jobspec.CorporaDirectory
	engine, err := runner.New(p, o.digest, deps)
	if err != nil {
		return err
	}
	outcome := work(engine, ctx)
	if outcome.Final() {
		return nil
	}
	if outcome.Err != nil {
		return outcome.Err
	}
	return errors.New(outcome.Progress.Failure.Message)
}

// load reads the plan and refuses one that is not exactly what the manager has made.
func (o jobOptions) load() (plan.Plan, error) {
	f, err := os.Open(o.plan)
	if err != nil {
		return plan.Plan{}, fmt.Errorf("open the plan: %w", err)
	}
	defer func() { _ = f.Close() }()
	p, err := plan.Decode(f)
	schema.Release()
	if err != nil {
		return plan.Plan{}, fmt.Errorf("%s: %w", o.plan, err)
	}
	if got := plan.Digest(p); got != o.digest {
		return plan.Plan{}, fmt.Errorf("the plan in %s has the digest %s, not %s", o.plan, got, o.digest)
	}
	return p, nil
}

func (o jobOptions) sink(p plan.Plan, log *slog.Logger) (*sink.Kubernetes, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, fmt.Errorf("find the Kubernetes API: %w", err)
	}
	config.UserAgent = "zfsbench-runner/" + version
	client, err := sink.NewClient(config, o.namespace)
	if err != nil {
		return nil, err
	}
	return &sink.Kubernetes{
		Client:     client,
		Base:       o.base,
		Shard:      func(index int) int { return plan.ResultsShard(p, index) },
		TrialBytes: plan.TrialBytes(p),
		Log:        log,
	}, nil
}

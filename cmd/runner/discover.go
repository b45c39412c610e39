// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/kube/sink"
	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/runner/discovery"
	"zfsbench.io/operator/internal/runner/preflight"
	"zfsbench.io/operator/internal/storage/blockdev"
	"zfsbench.io/operator/internal/storage/hostfs"
	"zfsbench.io/operator/internal/storage/zfs"
)

// hostRoot is the host's root directory as a process sees it that sees the host's first process.
const hostRoot = "/proc/1/root"

// discoverOptions are the arguments of a discovery's Job; none by hand.
type discoverOptions struct{ namespace, base, scratch string }

func discoverCommand() *cobra.Command {
	var o discoverOptions
	cmd := &cobra.Command{
		Use:   "discover",
		Short: "Say what this node has for benchmarks: OpenZFS, disks and whether they are blank, pools",
		Long: `Say what this node has for benchmarks. It makes the checks of every disk that a benchmark makes, and only
reads. Without --base, it prints what it finds as JSON; the operator's Jobs report to the Kubernetes API.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.namespace, "namespace", "", "namespace of the ConfigMap for request and report")
	flags.StringVar(&o.base, "base", "", "name of that ConfigMap; without it, the report is printed")
	flags.StringVar(&o.scratch, "scratch", defaultScratch, "scratch directory, if there is no ConfigMap that names it")
	cmd.MarkFlagsRequiredTogether("namespace", "base")
	return cmd
}

func (o discoverOptions) run(ctx context.Context, out io.Writer) error {
	if o.base == "" {
		found, err := discovery.Discover(ctx, realNode(jobspec.DiscoveryRequest{Scratch: o.scratch}))
		if err != nil {
			return err
		}
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(found)
	}
	api, err := o.sink()
	if err != nil {
		return err
	}
	request, err := api.DiscoveryRequest(ctx)
	if err != nil {
		return err
	}
	found, err := discovery.Discover(ctx, realNode(request))
	if err != nil {
		return err
	}
	return api.PutInventory(ctx, found)
}

func (o discoverOptions) sink() (*sink.Kubernetes, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, fmt.Errorf("find the Kubernetes API: %w", err)
	}
	config.UserAgent = "zfsbench-discovery/" + version
	client, err := sink.NewClient(config, o.namespace)
	if err != nil {
		return nil, err
	}
	return &sink.Kubernetes{Client: client, Base: o.base, Log: logger(slog.LevelInfo)}, nil
}

// realNode is this machine. The scratch directory is reached through the host's first process: a discovery has no
// mount of it.
func realNode(request jobspec.DiscoveryRequest) discovery.Node {
	local, host := hostexec.Local(), hostexec.Host()
	var volumes []blockdev.Volume
	for _, v := range request.Volumes {
		volumes = append(volumes, blockdev.Volume(v))
	}
	residues := blockdev.NewResidues(filepath.Join(hostRoot, request.Scratch, "residues"))
	return discovery.Node{
		Survey: blockdev.NewSurvey(local, host, residues, volumes...), OpenZFS: zfs.New(host), Facts: monitor.Kernel{},
		Filesystems: hostfs.New(host), Scratch: request.Scratch,
		Tools: func(ctx context.Context) []preflight.ToolVersion { return preflight.FindTools(ctx, local, host) },
		Stat: func(directory string) (preflight.Filesystem, error) {
			return preflight.StatFilesystem(filepath.Join(hostRoot, directory))
		},
	}
}

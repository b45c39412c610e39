// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/plugin/preview"
	"zfsbench.io/operator/internal/spec/manifest"
)

type planOptions struct {
	options
	files  []string
	local  bool
	format *genericclioptions.PrintFlags
}

func planCommand(shared options) *cobra.Command {
	o := planOptions{options: shared, format: genericclioptions.NewPrintFlags("")}
	cmd := &cobra.Command{
		Use:   "plan (-f FILE | NAME)",
		Short: "Show what a benchmark would do, without creating it",
		Long: `Show what a benchmark would do, without creating it: its nodes and whether it may run there, its variants,
trials, space and time. With -o yaml, the benchmark has every default filled in.

The API server judges the manifest in a dry run, and the operator's further rules are checked here. Nodes and policies
are those of the cluster, as far as you may read them. With --local, or if no cluster is configured, everything is
checked here: nodes are taken as they are named, and policies are those of the files.

AT LEAST is the time that the workloads ask for themselves, with runtimes. ON SLOW DISKS is an estimate for disks with
` + plan.SlowDisk + `, on which the default timeout is based.

` + exitCodes,
		Example: `  # A manifest, judged by the cluster
  kubectl zfsbench plan -f benchmark.yaml

  # Without a cluster, with the policies of a second file
  kubectl zfsbench plan --local -f benchmark.yaml -f policy.yaml

  # All defaults of a benchmark that exists
  kubectl zfsbench plan mirror -o yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	cmd.Flags().StringArrayVarP(&o.files, "filename", "f", nil,
		"file with the ZfsBenchmark, - for standard input; may be repeated for policies")
	cmd.Flags().BoolVar(&o.local, "local", false, "ask no cluster")
	o.format.AddFlags(cmd)
	return cmd
}

var errSource = errors.New("give either a file (-f FILE) or the name of a benchmark")

func (o planOptions) run(ctx context.Context, args []string) error {
	if (len(o.files) > 0) == (len(args) > 0) {
		return errSource
	}
	in, notes, err := o.input(ctx, args)
	if err != nil {
		return err
	}
	p, err := preview.Of(in)
	if err != nil {
		return refuse(err)
	}
	p.Notes = append(notes, p.Notes...)
	if err := o.print(p); err != nil {
		return err
	}
	if p.Refused() {
		return refuse(errors.New("the benchmark would not start on every node: see above"))
	}
	return nil
}

// input reads what the preview is made from, and says what could not be read.
func (o planOptions) input(ctx context.Context, args []string) (preview.Input, []string, error) {
	var documents manifest.Manifest
	var err error
	if len(args) == 0 {
		if documents, err = manifest.ReadFiles(o.files, o.In); err != nil {
			return preview.Input{}, nil, refuse(err)
		}
		found, err := o.configured()
		if err != nil {
			return preview.Input{}, nil, err
		}
		if !found && !o.local {
			o.errf("No cluster is configured: everything is checked here, as with --local.\n")
		}
		if o.local || !found {
			in, err := o.localInput(documents)
			return in, nil, err
		}
	} else if o.local {
		return preview.Input{}, nil, errors.New("--local needs a file: a benchmark is found by name only in a cluster")
	}
	c, err := o.cluster()
	if err != nil {
		return preview.Input{}, nil, err
	}
	if len(documents.Policies) > 0 {
		return preview.Input{}, nil, errors.New("policies of files count only with --local: the cluster has its own")
	}
	var in preview.Input
	if len(args) > 0 {
		in.Benchmark, err = c.benchmark(ctx, args[0])
	} else {
		in.Benchmark, err = c.create(ctx, documents.Benchmark, true)
	}
	if err != nil {
		return preview.Input{}, nil, err
	}
	notes, err := c.surroundings(ctx, &in)
	return in, notes, err
}

// localInput decodes the files.
func (o planOptions) localInput(documents manifest.Manifest) (preview.Input, error) {
	var in preview.Input
	var err error
	if in.Benchmark, in.Policies, err = documents.Decode(); err != nil {
		return preview.Input{}, refuse(err)
	}
	switch {
	case in.Benchmark.Namespace != "":
	case *o.config.Namespace != "":
		in.Benchmark.Namespace = *o.config.Namespace
	default:
		in.Benchmark.Namespace = metav1.NamespaceDefault
	}
	return in, nil
}

// surroundings reads nodes, policies and the namespace. What the user may not read stays unknown, and a sentence says
// so.
func (c cluster) surroundings(ctx context.Context, in *preview.Input) ([]string, error) {
	var notes []string
	var nodes corev1.NodeList
	var policies v1alpha1.BenchmarkDevicePolicyList
	if err := c.List(ctx, &nodes); err == nil {
		in.Nodes = append([]corev1.Node{}, nodes.Items...)
	} else if !apierrors.IsForbidden(err) {
		return nil, fmt.Errorf("list nodes: %w", err)
	} else {
		notes = append(notes, "You may not list nodes: whether they exist and allow benchmarks was not checked.")
	}
	if err := c.List(ctx, &policies); err == nil {
		in.Policies = append([]v1alpha1.BenchmarkDevicePolicy{}, policies.Items...)
	} else if !apierrors.IsForbidden(err) {
		return nil, fmt.Errorf("list policies: %w", err)
	}
	var storages v1alpha1.NodeStorageList
	if err := c.List(ctx, &storages); err == nil {
		in.Storages = storages.Items
	} else if !apierrors.IsForbidden(err) {
		return nil, fmt.Errorf("list NodeStorages: %w", err)
	}
	var namespace corev1.Namespace
	if err := c.Get(ctx, client.ObjectKey{Name: in.Benchmark.Namespace}, &namespace); err == nil {
		in.NamespaceUID = string(namespace.UID)
	} else if !apierrors.IsForbidden(err) {
		return nil, fmt.Errorf("get namespace: %w", err)
	}
	return notes, nil
}

// print prints the preview in the format that the user wants: tables, unless -o says otherwise.
func (o planOptions) print(p preview.Preview) error {
	if *o.format.OutputFormat != "" {
		printer, err := o.format.ToPrinter()
		if err != nil {
			return err
		}
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&p)
		if err != nil {
			return err
		}
		unstructured.RemoveNestedField(object, "benchmark", "status")
		return printer.PrintObj(&unstructured.Unstructured{Object: object}, o.Out)
	}
	for i, t := range p.Tables() {
		if i > 0 {
			o.printf("\n")
		}
		if err := printers.NewTablePrinter(printers.PrintOptions{}).PrintObj(&t, o.Out); err != nil {
			return err
		}
	}
	for _, n := range p.Nodes {
		if n.Refused != "" {
			o.printf("\n%s: %s\n", n.Name, n.Refused)
		}
	}
	for _, note := range p.Notes {
		o.printf("\n%s\n", note)
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plugin/disks"
)

type devicesOptions struct {
	options
	format         *genericclioptions.PrintFlags
	discover, wait bool
	timeout        time.Duration
}

// wideFormat is the value of -o for a table with all columns.
const wideFormat = "wide"

func devicesCommand(shared options) *cobra.Command {
	o := devicesOptions{options: shared, format: genericclioptions.NewPrintFlags("")}
	cmd := &cobra.Command{
		Use:   "devices [NODE]",
		Short: "Show the disks of the nodes, and which of them benchmarks may overwrite",
		Long: `Show the disks of all nodes that allow benchmarks, or of one node, as the operator last found them: what they
are, whether they are Blank, InUse or Refused and why, and which BenchmarkDevicePolicies offer them.

The list is what the NodeStorages of the cluster say. It is information only: the runner checks each disk again
before it writes to it. --discover asks the operator to look at the nodes again.`,
		Example: `  # All nodes
  kubectl zfsbench devices

  # A node to which the label was just added
  kubectl zfsbench devices storage-0 --wait

  # Look again, and show serial numbers, transports and sectors as well
  kubectl zfsbench devices storage-0 --discover --wait -o wide`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), strings.Join(args, "")) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.discover, "discover", false, "ask the operator to look at the node, or at all nodes, again")
	flags.BoolVar(&o.wait, "wait", false, "wait until what the nodes have is known, and current")
	flags.DurationVar(&o.timeout, "timeout", 15*time.Minute, "how long to wait at most")
	o.format.AddFlags(cmd)
	cmd.Flag("output").Usage = fmt.Sprintf("Output format. One of: (%s).",
		strings.Join(append(o.format.AllowedFormats(), wideFormat), ", "))
	return cmd
}

func (o devicesOptions) run(ctx context.Context, node string) error {
	c, err := o.cluster()
	if err != nil {
		return err
	}
	found, err := c.storages(ctx, node)
	if err != nil {
		return err
	}
	if o.discover {
		if err := o.ask(ctx, c, found); err != nil {
			return err
		}
	}
	if o.wait {
		if found, err = o.follow(ctx, c, node, found); err != nil {
			return err
		}
	}
	return o.print(node, found)
}

// storages is what the cluster says about the storage of its nodes.
type storages struct {
	items []v1alpha1.NodeStorage
	// nodes are the nodes of the cluster; nil if the user may not read them.
	nodes []corev1.Node
	// missing are the names of nodes that should have a NodeStorage, and have none.
	missing []string
}

// storages reads the NodeStorage of a node, or all of them if there is no name.
func (c cluster) storages(ctx context.Context, node string) (storages, error) {
	s := storages{items: []v1alpha1.NodeStorage{}}
	var list v1alpha1.NodeStorageList
	if err := c.List(ctx, &list); err != nil {
		return s, explain(err)
	}
	var nodes corev1.NodeList
	switch err := c.List(ctx, &nodes); {
	case err == nil:
		s.nodes = append([]corev1.Node{}, nodes.Items...)
	case !apierrors.IsForbidden(err):
		return s, fmt.Errorf("list nodes: %w", err)
	}
	for _, item := range list.Items {
		item.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("NodeStorage"))
		if node == "" || item.Name == node {
			s.items = append(s.items, item)
		}
	}
	for _, n := range s.nodes {
		if node == "" && disks.IsAllowed(n) && s.find(n.Name) == nil {
			s.missing = append(s.missing, n.Name)
		}
	}
	if node != "" && len(s.items) == 0 {
		s.missing = []string{node}
	}
	return s, nil
}

// find returns the NodeStorage of a node; nil if there is none.
func (s storages) find(node string) *v1alpha1.NodeStorage {
	i := slices.IndexFunc(s.items, func(item v1alpha1.NodeStorage) bool { return item.Name == node })
	if i < 0 {
		return nil
	}
	return &s.items[i]
}

// isComing says whether the operator is about to make the NodeStorage of a node, as far as the user may know.
func (s storages) isComing(node string) bool {
	return s.nodes == nil || slices.ContainsFunc(s.nodes, func(n corev1.Node) bool {
		return n.Name == node && disks.IsAllowed(n)
	})
}

// ask asks the operator to look at the nodes again.
func (o devicesOptions) ask(ctx context.Context, c cluster, found storages) error {
	for _, s := range found.items {
		changed := s.DeepCopy()
		metav1.SetMetaDataAnnotation(&changed.ObjectMeta, v1alpha1.AnnotationDiscover,
			time.Now().UTC().Format(time.RFC3339Nano))
		if err := c.Patch(ctx, changed, client.MergeFrom(&s)); err != nil {
			return fmt.Errorf("ask for a discovery of node %s: %w", s.Name, explain(err))
		}
		o.errf("%s: asked for a discovery.\n", s.Name)
	}
	return nil
}

// print prints the list, and on the standard error what a reader of it must know.
func (o devicesOptions) print(node string, found storages) error {
	if err := o.printList(node, found); err != nil {
		return err
	}
	for _, s := range found.items {
		if note := disks.Note(s, time.Now()); note != "" {
			o.errf("%s\n", note)
		}
	}
	for _, name := range found.missing {
		o.errf("%s\n", disks.Missing(name, found.nodes))
	}
	switch {
	case node != "" && len(found.items) == 0:
		return fmt.Errorf("nothing is known about node %s", node)
	case len(found.items) == 0 && len(found.missing) == 0:
		o.errf("No node allows benchmarks. To allow them: `kubectl label node NODE %s=true`\n", v1alpha1.LabelNodeAllowed)
	}
	return nil
}

func (o devicesOptions) printList(node string, found storages) error {
	if format := *o.format.OutputFormat; format != "" && format != wideFormat {
		printer, err := o.format.ToPrinter()
		if err != nil {
			return err
		}
		if node == "" {
			list := &v1alpha1.NodeStorageList{Items: found.items}
			list.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("NodeStorageList"))
			return printer.PrintObj(list, o.Out)
		}
		if len(found.items) == 0 {
			return nil
		}
		return printer.PrintObj(&found.items[0], o.Out)
	}
	table := disks.Table(found.items, time.Now())
	wide := printers.PrintOptions{Wide: *o.format.OutputFormat == wideFormat}
	return printers.NewTablePrinter(wide).PrintObj(&table, o.Out)
}

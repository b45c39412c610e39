// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plugin/disks"
	"zfsbench.io/operator/internal/plugin/offer"
)

type allowOptions struct {
	options
	output       string
	node         string
	devices      []string
	blank, apply bool
	name, class  string
	confirm      string
}

func allowCommand(shared options) *cobra.Command {
	o := allowOptions{options: shared}
	cmd := &cobra.Command{
		Use:   "allow NODE --namespace NAMESPACE (--blank | --device PATH ...)",
		Short: "Let the benchmarks of a namespace overwrite disks of a node",
		Long: `Print a complete BenchmarkDevicePolicy, the consent to losing data, for disks of a node, with a comment for
each. Every value is the one that the operator found on the node. Only disks that are blank are offered, and none that
another policy offers to the namespace already.

With --apply, show which disks become destroyable, ask for the name of the node, and create the policy. A policy that
exists is never changed. What changed on the node meanwhile does no harm: the runner compares each disk with the policy,
and checks that it is blank, right before it writes to it.`,
		Example: `  # Look at what is there, then at the policy
  kubectl zfsbench devices storage-0
  kubectl zfsbench allow storage-0 --namespace team-a --blank > policy.yaml

  # Create it, for two disks
  kubectl zfsbench allow storage-0 --namespace team-a --apply \
    --device /dev/disk/by-id/wwn-0x5000c500a0000001 --device /dev/disk/by-id/wwn-0x5000c500a0000002

  # In a script, which has to name the node as well
  kubectl zfsbench allow storage-0 --namespace team-a --blank --apply --confirm storage-0`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.node = args[0]
			return o.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&o.devices, "device", nil, "stable path of a disk, below /dev/disk/by-id; may be repeated")
	flags.BoolVar(&o.blank, "blank", false, "every disk that is blank, and not offered to the namespace yet")
	flags.StringVar(&o.name, "name", "", "name of the policy; NODE-NAMESPACE by default")
	flags.StringVar(&o.class, "class", "", "name for the disks, by which benchmarks can ask for them on any node")
	flags.BoolVar(&o.apply, "apply", false, "create the policy, after a question")
	flags.StringVar(&o.confirm, "confirm", "", "with --apply: the name of the node, in place of the question")
	flags.StringVarP(&o.output, "output", "o", "", "Output format. One of: (json, yaml).")
	return cmd
}

// check refuses flags that contradict each other. Consent needs a namespace that somebody wrote.
func (o allowOptions) check(c cluster) error {
	switch {
	case !c.explicit:
		return errors.New("--namespace is missing: say whose benchmarks may overwrite the disks")
	case o.blank == (len(o.devices) > 0):
		return errors.New("give either --device PATH, for each disk, or --blank for all disks that are blank")
	case o.confirm != "" && !o.apply:
		return errors.New("--confirm needs --apply: without it, nothing is created")
	case o.confirm != "" && o.confirm != o.node:
		return fmt.Errorf("--confirm names %s, and the node is %s: nothing was created", o.confirm, o.node)
	case o.output != "" && o.output != "json" && o.output != "yaml":
		return fmt.Errorf("-o %s: the formats are json and yaml", o.output)
	}
	return nil
}

func (o allowOptions) run(ctx context.Context) error {
	c, err := o.cluster()
	if err != nil {
		return err
	}
	if err := o.check(c); err != nil {
		return err
	}
	made, err := o.offer(ctx, c)
	if errors.Is(err, offer.ErrOffered) && o.apply {
		o.errf("%s.\n", strings.TrimSuffix(err.Error(), "."))
		return nil
	}
	if err != nil {
		return err
	}
	for _, why := range made.Skipped {
		o.errf("Not offered: %s\n", why)
	}
	if o.apply {
		return o.create(ctx, c, made)
	}
	return o.print(made)
}

// offer makes the policy from what the cluster says now.
func (o allowOptions) offer(ctx context.Context, c cluster) (offer.Offer, error) {
	found, err := c.storages(ctx, o.node)
	if err != nil {
		return offer.Offer{}, err
	}
	if len(found.items) == 0 {
		return offer.Offer{}, refuse(errors.New(disks.Missing(o.node, found.nodes)))
	}
	for _, n := range found.nodes {
		if n.Name == o.node && string(n.UID) != found.items[0].Status.NodeUID && found.items[0].Status.NodeUID != "" {
			return offer.Offer{}, refuse(fmt.Errorf("what is listed for node %s is from another machine of that name: wait "+
				"for the operator with `kubectl zfsbench devices %s --discover --wait`", o.node, o.node))
		}
	}
	in := offer.Input{Storage: found.items[0], Namespace: c.namespace, Name: o.name, Class: o.class, Devices: o.devices}
	var policies v1alpha1.BenchmarkDevicePolicyList
	if err := c.List(ctx, &policies); err != nil {
		return offer.Offer{}, fmt.Errorf("list policies, to find out which disks they offer: %w", explain(err))
	}
	in.Policies = policies.Items
	var namespace corev1.Namespace
	switch err := c.Get(ctx, client.ObjectKey{Name: c.namespace}, &namespace); {
	case err == nil:
		in.NamespaceUID = string(namespace.UID)
	case !apierrors.IsForbidden(err):
		return offer.Offer{}, err
	}
	made, err := offer.Of(in)
	if err != nil {
		return offer.Offer{}, refuse(err)
	}
	return made, nil
}

// create creates the policy after the user has named the node. The API server judges it before that.
func (o allowOptions) create(ctx context.Context, c cluster, made offer.Offer) error {
	if _, err := made.YAML(); err != nil {
		return refuse(err)
	}
	if err := c.createPolicy(ctx, made, client.DryRunAll); err != nil {
		return err
	}
	table := made.Table()
	if err := printers.NewTablePrinter(printers.PrintOptions{}).PrintObj(&table, o.ErrOut); err != nil {
		return err
	}
	o.errf("\nBenchmarks of namespace %s may then destroy everything on these disks of node %s.\n", c.namespace, o.node)
	if err := o.ask(ctx); err != nil {
		return err
	}
	now, err := o.offer(ctx, c) // the question may have been open for long
	if err != nil || !equality.Semantic.DeepEqual(now.Policy, made.Policy) {
		return refuse(errors.Join(errors.New("the node or its policies have changed since you were asked: nothing was "+
			"created, look again"), err))
	}
	if err := c.createPolicy(ctx, made); err != nil {
		return err
	}
	if o.output != "" {
		return o.print(made)
	}
	o.printf("benchmarkdevicepolicy.zfsbench.io/%s created\n", made.Policy.Name)
	return nil
}

// createPolicy creates a policy, or lets the API server only judge it.
func (c cluster) createPolicy(ctx context.Context, made offer.Offer, how ...client.CreateOption) error {
	name := made.Policy.Name
	switch err := c.Create(ctx, made.Policy.DeepCopy(), how...); {
	case apierrors.IsAlreadyExists(err):
		return refuse(fmt.Errorf("BenchmarkDevicePolicy %s exists and is not changed: give the new one another name with "+
			"--name, or edit it with `kubectl edit benchmarkdevicepolicy %s`", name, name))
	case apierrors.IsForbidden(err):
		return refuse(fmt.Errorf("%w: consent to losing data is given by a storage administrator, with the role "+
			"zfs-benchmark-operator-policy-admin", err))
	case err != nil:
		return explain(err)
	}
	return nil
}

// ask asks for the name of the node, unless --confirm gave it.
func (o allowOptions) ask(ctx context.Context) error {
	if o.confirm != "" {
		return nil
	}
	o.errf("Type the name of the node to create the policy: ")
	answer := make(chan string, 1)
	go func() { // A read from a terminal does not end with ctx.
		line, _ := bufio.NewReader(o.In).ReadString('\n')
		answer <- strings.TrimSpace(line)
	}()
	select {
	case <-ctx.Done():
		return exitCodeError{exitInterrupted, errors.New("interrupted: nothing was created")}
	case typed := <-answer:
		if typed != o.node {
			return refuse(fmt.Errorf("%q is not the name of the node: nothing was created", typed))
		}
	}
	return nil
}

// print prints the policy, with comments unless it is JSON.
func (o allowOptions) print(made offer.Offer) error {
	text, err := made.YAML()
	if err != nil {
		return refuse(err)
	}
	if o.output == "json" {
		return (&printers.JSONPrinter{}).PrintObj(&made.Policy, o.Out)
	}
	o.printf("%s", text)
	return nil
}

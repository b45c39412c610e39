// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/hack/devcluster/cluster"
)

const (
	release          = "zfsbench"
	chart            = "charts/zfs-benchmark-operator"
	managerNamespace = "zfsbench-system"
)

// namespace is the manager's: `helm install --create-namespace` would make it without the label.
const namespace = `apiVersion: v1
kind: Namespace
metadata:
  name: ` + managerNamespace + `
  labels:
    pod-security.kubernetes.io/enforce: restricted
`

// demo is the sequence of what a person would do.
type demo struct {
	options cluster.Options
	cluster *cluster.Cluster
	api     client.Client
	tools   tools
}

func (d demo) run(ctx context.Context) error {
	samples, err := readSamples(os.DirFS(filepath.Join(d.tools.dir, samplesDir)), sampleFiles...)
	if err != nil {
		return err
	}
	if err := d.install(ctx); err != nil {
		return err
	}
	if err := d.consent(ctx, samples); err != nil {
		return err
	}
	if err := d.apply(ctx, samples); err != nil {
		return err
	}
	d.heading("Follow")
	keys := make([]client.ObjectKey, 0, len(samples))
	for _, s := range samples {
		keys = append(keys, client.ObjectKeyFromObject(&s.benchmark))
	}
	f := follower{client: d.api, out: d.tools.out, clock: time.Now, last: map[client.ObjectKey]string{}}
	followed := f.untilFinished(ctx, keys)
	if err := d.show(ctx, keys); err != nil && followed == nil {
		return err
	}
	return followed
}

// consent labels the node and applies a policy with what the node says of the samples' disks.
func (d demo) consent(ctx context.Context, samples []sample) error {
	d.heading("Offer the node and its disks")
	if err := d.tools.runKubectl(ctx, "", "label", "node", nodeName, v1alpha1.LabelNodeAllowed+"=true",
		"--overwrite"); err != nil {
		return err
	}
	var node corev1.Node
	if err := d.api.Get(ctx, client.ObjectKey{Name: nodeName}, &node); err != nil {
		return err
	}
	disks, err := d.identify(ctx, diskPaths(samples))
	if err != nil {
		return err
	}
	policy, err := yaml.Marshal(policyFor(v1alpha1.PolicyNode{Name: nodeName, UID: string(node.UID)}, disks, samples))
	if err != nil {
		return err
	}
	return d.tools.runKubectl(ctx, string(policy), "apply", "-f", "-")
}

// identify asks the node for serial number and size of each disk.
func (d demo) identify(ctx context.Context, paths []string) ([]v1alpha1.PolicyDevice, error) {
	node, err := d.cluster.Node(nodeName)
	if err != nil {
		return nil, err
	}
	disks := make([]v1alpha1.PolicyDevice, 0, len(paths))
	for _, path := range paths {
		serial, _, err := node.Run(ctx, cluster.Command{Args: []string{"lsblk", "-dno", "SERIAL", path}})
		if err != nil {
			return nil, err
		}
		bytes, _, err := node.Run(ctx, cluster.Command{Args: []string{"blockdev", "--getsize64", path}})
		if err != nil {
			return nil, err
		}
		size, err := resource.ParseQuantity(strings.TrimSpace(bytes))
		if err != nil {
			return nil, fmt.Errorf("size of %s: %w", path, err)
		}
		disks = append(disks, v1alpha1.PolicyDevice{Path: path, Serial: strings.TrimSpace(serial), Size: size})
	}
	return disks, nil
}

// apply deletes the samples and creates them again: a finished benchmark of an earlier demo does not run again.
func (d demo) apply(ctx context.Context, samples []sample) error {
	d.heading("Run the benchmarks")
	var files []string
	for _, s := range samples {
		files = append(files, "-f", filepath.Join(samplesDir, s.file))
	}
	if err := d.tools.runKubectl(ctx, "", append([]string{"delete", "--ignore-not-found"}, files...)...); err != nil {
		return err
	}
	return d.tools.runKubectl(ctx, "", append([]string{"apply"}, files...)...)
}

// show prints the tables and the summary of each benchmark.
func (d demo) show(ctx context.Context, keys []client.ObjectKey) error {
	d.heading("Results")
	for _, args := range [][]string{{"get", "zfsbenchmarks"}, {"get", "zfsbenchmarks", "-o", "wide"}} {
		if err := d.tools.runKubectl(ctx, "", args...); err != nil {
			return err
		}
	}
	for _, key := range keys {
		err := d.tools.runKubectl(ctx, "", "get", "configmap", key.Name+"-results", "-n", key.Namespace, "-o",
			`jsonpath={.data.summary\.md}`)
		if err != nil {
			return err
		}
	}
	_, _ = fmt.Fprintf(d.tools.out, "\nThe cluster is yours: export KUBECONFIG=%s\n`make cluster-down` removes it.\n",
		d.tools.kubeconfig)
	return nil
}

func (d demo) heading(text string) {
	_, _ = fmt.Fprintf(d.tools.out, "\n=== %s\n", text)
}

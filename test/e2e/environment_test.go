// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

const (
	// benchNamespace is the user's namespace: where benchmarks and their results live.
	benchNamespace = "zfsbench-e2e"
	// runnerNamespace is where the operator runs its Jobs.
	runnerNamespace = "zfsbench-runners"
	// minDisks is how many blank disks the layouts of the tests need.
	minDisks = 3
)

// environment is what every test works with.
type environment struct {
	kubeconfig string
	config     *rest.Config
	client     client.Client
	node       corev1.Node
	disks      []disk
	shell      *nodeShell
	// runnerImage is what the operator runs, and the node shell with it.
	runnerImage string
}

// disk is a blank disk of the node that may be overwritten.
type disk struct {
	path   string
	serial string
	size   int64
}

// setUp connects to the cluster, installs the chart, labels the node and consents to the use of its disks.
func setUp(ctx context.Context) (*environment, error) {
	e := &environment{}
	if err := e.connect(ctx); err != nil {
		return nil, err
	}
	// First, since the chart gives rights in the driver's namespace.
	if err := e.installCSIDriver(ctx); err != nil {
		return nil, err
	}
	if err := e.installChart(ctx); err != nil {
		return nil, err
	}
	if err := e.clear(ctx); err != nil {
		return nil, fmt.Errorf("remove what an interrupted run left: %w", err)
	}
	if err := e.ensureNamespace(ctx, benchNamespace); err != nil {
		return nil, err
	}
	if err := e.allowNode(ctx); err != nil {
		return nil, err
	}
	shell, err := startNodeShell(ctx, e)
	if err != nil {
		return nil, err
	}
	e.shell = shell
	if err := e.findDisks(ctx); err != nil {
		return nil, err
	}
	if err := e.consent(ctx); err != nil {
		return nil, err
	}
	return e, nil
}

// connect builds the client and finds the node under test.
func (e *environment) connect(ctx context.Context) error {
	e.kubeconfig = os.Getenv("ZFSBENCH_E2E_KUBECONFIG")
	if e.kubeconfig == "" {
		return errors.New("ZFSBENCH_E2E_KUBECONFIG is not set: `make test-e2e` sets it to the development cluster's")
	}
	config, err := clientcmd.BuildConfigFromFlags("", e.kubeconfig)
	if err != nil {
		return fmt.Errorf("read kubeconfig: %w", err)
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return err
	}
	e.config = config
	if e.client, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	name := os.Getenv("ZFSBENCH_E2E_NODE")
	if name == "" {
		name = "storage-0"
	}
	if err := e.client.Get(ctx, client.ObjectKey{Name: name}, &e.node); err != nil {
		return fmt.Errorf("find node %s: %w", name, err)
	}
	return nil
}

// ensureNamespace creates a namespace unless it is there.
func (e *environment) ensureNamespace(ctx context.Context, name string) error {
	err := e.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	return client.IgnoreAlreadyExists(err)
}

// allowNode labels the node under test.
func (e *environment) allowNode(ctx context.Context) error {
	patch := client.MergeFrom(e.node.DeepCopy())
	metav1.SetMetaDataLabel(&e.node.ObjectMeta, v1alpha1.LabelNodeAllowed, "true")
	return e.client.Patch(ctx, &e.node, patch)
}

// findDisks takes the disks from the environment, or all data disks of the development cluster's node, with what
// identifies them.
func (e *environment) findDisks(ctx context.Context) error {
	paths := strings.FieldsFunc(os.Getenv("ZFSBENCH_E2E_DISKS"), func(r rune) bool { return r == ',' })
	if len(paths) == 0 {
		found, err := e.shell.run(ctx, "find", "/dev/disk/by-id", "-name", "virtio-zfsbench-d[0-9]")
		if err != nil {
			return fmt.Errorf("list disks: %w", err)
		}
		paths = strings.Fields(found)
		slices.Sort(paths)
	}
	if len(paths) < minDisks {
		return fmt.Errorf("the tests need %d blank disks, have %v; set ZFSBENCH_E2E_DISKS", minDisks, paths)
	}
	for _, path := range paths {
		d, err := e.identify(ctx, path)
		if err != nil {
			return err
		}
		e.disks = append(e.disks, d)
	}
	return nil
}

// identify reads serial and size of a disk as the policy wants them.
func (e *environment) identify(ctx context.Context, path string) (disk, error) {
	serial, err := e.shell.run(ctx, "lsblk", "-dno", "SERIAL", path)
	if err != nil {
		return disk{}, fmt.Errorf("serial of %s: %w", path, err)
	}
	size, err := e.shell.run(ctx, "blockdev", "--getsize64", path)
	if err != nil {
		return disk{}, fmt.Errorf("size of %s: %w", path, err)
	}
	bytes, err := strconv.ParseInt(strings.TrimSpace(size), 10, 64)
	if err != nil {
		return disk{}, fmt.Errorf("size of %s: %w", path, err)
	}
	return disk{path: path, serial: strings.TrimSpace(serial), size: bytes}, nil
}

// consent creates the policy for all disks but the last, which stays without one for the test that waits for a policy.
func (e *environment) consent(ctx context.Context) error {
	policy := &v1alpha1.BenchmarkDevicePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "e2e"},
		Spec: v1alpha1.BenchmarkDevicePolicySpec{
			Node:       v1alpha1.PolicyNode{Name: e.node.Name, UID: string(e.node.UID)},
			Namespaces: []string{benchNamespace},
		},
	}
	for _, d := range e.disks[:len(e.disks)-1] {
		policy.Spec.Devices = append(policy.Spec.Devices, d.consent())
	}
	return e.client.Create(ctx, policy)
}

// suiteClass is the class of all disks that the suite offers.
const suiteClass = "e2e"

// consent is the policy's entry for the disk.
func (d disk) consent() v1alpha1.PolicyDevice {
	return v1alpha1.PolicyDevice{Path: d.path, Serial: d.serial, Size: *resource.NewQuantity(d.size, resource.BinarySI),
		Class: suiteClass}
}

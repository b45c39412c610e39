// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

const (
	// csiManifests is the variable that names the directory of the driver's manifests. The nodes have their images.
	csiManifests = "ZFSBENCH_E2E_CSI"
	// csiDriverName is OpenEBS zfs-localpv.
	csiDriverName = "zfs.csi.openebs.io"
	// csiPoolAttribute is where a PersistentVolume of the driver says what its dataset is in.
	csiPoolAttribute = "openebs.io/poolname"
)

// csiDriver waits until the real driver serves the node under test. Without the driver's manifests it skips the test.
func csiDriver(t *testing.T) {
	t.Helper()
	if os.Getenv(csiManifests) == "" {
		t.Skip(csiManifests + " is not set: the CSI driver is not in this repository; make test-e2e-csi IMAGES=DIR " +
			"(docs/development.md)")
	}
	await(t, "the CSI driver on "+suite.node.Name, func() (bool, error) {
		node := &storagev1.CSINode{}
		if err := suite.client.Get(context.Background(), client.ObjectKeyFromObject(&suite.node), node); err != nil {
			return false, err
		}
		// The driver's kinds may not be served yet.
		_, err := zfsNode()
		return err == nil && slices.ContainsFunc(node.Spec.Drivers, func(d storagev1.CSINodeDriver) bool {
			return d.Name == csiDriverName
		}), nil
	}, describeCSIDriver)
}

// installCSIDriver applies every document of every manifest of the driver's directory, in the order of their names, if
// there is such a directory. Like the operator, the driver stays for the next run.
func (e *environment) installCSIDriver(ctx context.Context) error {
	directory := os.Getenv(csiManifests)
	if directory == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(directory, "*.yaml"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("%s names %s, which has no *.yaml: %w", csiManifests, directory, errors.Join(err, os.ErrNotExist))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := e.applyDocuments(ctx, text); err != nil {
			return fmt.Errorf("install the CSI driver: %s: %w", file, err)
		}
	}
	return nil
}

func (e *environment) applyDocuments(ctx context.Context, text []byte) error {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		obj := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(document, &obj.Object); err != nil {
			return err
		}
		if len(obj.Object) == 0 {
			continue
		}
		err = e.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(obj), client.FieldOwner("zfsbench-e2e"),
			client.ForceOwnership)
		if err != nil {
			return fmt.Errorf("%s %s: %w", obj.GetKind(), obj.GetName(), err)
		}
	}
}

// csiObjects are all objects of a kind of the driver's.
func csiObjects(kind string) ([]unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "zfs.openebs.io", Version: "v1", Kind: kind + "List"})
	err := suite.client.List(context.Background(), list)
	return list.Items, err
}

// zfsNode is what the driver says of the node under test.
func zfsNode() (unstructured.Unstructured, error) {
	nodes, err := csiObjects("ZFSNode")
	if err != nil {
		return unstructured.Unstructured{}, err
	}
	i := slices.IndexFunc(nodes, func(n unstructured.Unstructured) bool { return n.GetName() == suite.node.Name })
	if i < 0 {
		return unstructured.Unstructured{}, fmt.Errorf("the driver has no ZFSNode %s yet", suite.node.Name)
	}
	return nodes[i], nil
}

// awaitPoolListed waits until the driver knows a pool: it looks once a minute.
func awaitPoolListed(t *testing.T, name string) {
	t.Helper()
	await(t, "pool "+name+" listed by the CSI driver", func() (bool, error) {
		node, err := zfsNode()
		if err != nil {
			return false, err
		}
		pools, _, err := unstructured.NestedSlice(node.Object, "pools")
		return slices.ContainsFunc(pools, func(p any) bool {
			pool, ok := p.(map[string]any)
			return ok && pool["name"] == name
		}), err
	}, describeCSIDriver)
}

// awaitNoVolumes waits until the driver has taken every volume away, from the cluster and from the node.
func awaitNoVolumes(t *testing.T) {
	t.Helper()
	await(t, "no ZFSVolume", func() (bool, error) {
		volumes, err := csiObjects("ZFSVolume")
		return len(volumes) == 0, err
	}, describeCSIDriver)
}

// describeCSIDriver renders the driver's objects and the end of each container's log.
func describeCSIDriver() string {
	ctx := context.Background()
	var text strings.Builder
	for _, kind := range []string{"ZFSNode", "ZFSVolume"} {
		objects, err := csiObjects(kind)
		content, _ := yaml.Marshal(objects)
		fmt.Fprintf(&text, "%s, %v:\n%s\n", kind, err, content)
	}
	pods := &corev1.PodList{}
	if err := suite.client.List(ctx, pods, client.MatchingLabels{"role": "openebs-zfs"}); err != nil {
		fmt.Fprintln(&text, "pods of the driver:", err)
	}
	for _, pod := range pods.Items {
		for _, c := range pod.Spec.Containers {
			options := &corev1.PodLogOptions{Container: c.Name, TailLines: ptr.To[int64](40)}
			logs, err := suite.shell.clientset.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, options).DoRaw(ctx)
			fmt.Fprintf(&text, "pod %s (%s) container %s, log %v:\n%s\n", pod.Name, pod.Status.Phase, c.Name, err, logs)
		}
	}
	return text.String()
}

// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/manifest"
	"zfsbench.io/operator/internal/spec/validate"
)

// cluster is the API server, with the user's rights.
type cluster struct {
	client.Client
	// namespace is that of the kubeconfig or of the flag; explicit says that it is the flag's.
	namespace string
	explicit  bool
}

// configured says whether there is any cluster to ask: a kubeconfig that names one, a flag, or that of the pod.
func (o options) configured() (bool, error) {
	raw, err := o.config.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return false, err
	}
	_, err = rest.InClusterConfig()
	return len(raw.Clusters) > 0 || *o.config.APIServer != "" || err == nil, nil
}

// cluster connects to the API server.
func (o options) cluster() (cluster, error) {
	if found, err := o.configured(); err != nil || !found {
		return cluster{}, errors.Join(err, errors.New("no cluster is configured: set KUBECONFIG, --kubeconfig or --server"))
	}
	log.SetLogger(logr.Discard()) // The client's own messages are not for users.
	config, err := o.config.ToRESTConfig()
	if err != nil {
		return cluster{}, err
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(scheme), corev1.AddToScheme(scheme)); err != nil {
		return cluster{}, err
	}
	var c cluster
	if c.Client, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return cluster{}, err
	}
	c.namespace, c.explicit, err = o.config.ToRawKubeConfigLoader().Namespace()
	return c, err
}

// benchmark gets a benchmark that exists.
func (c cluster) benchmark(ctx context.Context, name string) (*v1alpha1.ZfsBenchmark, error) {
	b := &v1alpha1.ZfsBenchmark{}
	if err := c.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: name}, b); err != nil {
		return nil, explain(err)
	}
	return b, nil
}

// create creates the benchmark of a manifest, or only lets the API server judge it if dryRun is set, and returns it
// with the defaults. The API server checks fields strictly, and the operator's further rules are checked before
// anything is created.
func (c cluster) create(ctx context.Context, d manifest.Document, dryRun bool) (*v1alpha1.ZfsBenchmark, error) {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(d.Text, &object.Object); err != nil {
		return nil, fmt.Errorf("%s: %w", d.File, err)
	}
	switch namespace := object.GetNamespace(); {
	case namespace == "":
		object.SetNamespace(c.namespace)
	case c.explicit && namespace != c.namespace:
		return nil, fmt.Errorf("%s: metadata.namespace is %s, and --namespace says %s: leave one of them out", d.File,
			namespace, c.namespace)
	}
	strict := client.WithFieldValidation(c.Client, metav1.FieldValidationStrict)
	judged := object.DeepCopy()
	if err := strict.Create(ctx, judged, client.DryRunAll); err != nil {
		return nil, explain(err)
	}
	b, err := typed(judged)
	if err != nil {
		return nil, err
	}
	if err := validate.Benchmark(b).ToAggregate(); err != nil {
		return nil, refuse(fmt.Errorf("%s: ZfsBenchmark %s: %w", d.File, b.Name, err))
	}
	if dryRun {
		b.UID = "" // The API server made it up.
		return b, nil
	}
	if err := strict.Create(ctx, object); err != nil {
		return nil, explain(err)
	}
	return typed(object)
}

func typed(object *unstructured.Unstructured) (*v1alpha1.ZfsBenchmark, error) {
	b := &v1alpha1.ZfsBenchmark{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, b); err != nil {
		return nil, fmt.Errorf("read what the API server returned: %w", err)
	}
	return b, nil
}

// explain adds to an error of the API server what the user can do, and the exit code of a refusal.
func explain(err error) error {
	switch {
	case meta.IsNoMatchError(err):
		return fmt.Errorf("%w: the operator is not installed in this cluster, or another version of it", err)
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsForbidden(err):
		return refuse(err)
	case apierrors.IsAlreadyExists(err):
		return refuse(fmt.Errorf("%w: follow it with `kubectl zfsbench run NAME --wait`, or give the new one another "+
			"metadata.name", err))
	}
	return err
}

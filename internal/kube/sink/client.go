// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// Client gets and patches what a runner needs of one namespace. client-go's own clients would link the types of all API
// groups into the runner: 9 MiB of program, of which half is in memory in every run.
type Client struct {
	rest      rest.Interface
	namespace string
}

// NewClient returns the client for a namespace.
func NewClient(config *rest.Config, namespace string) (*Client, error) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("make a client for the Kubernetes API: %w", err)
	}
	config = rest.CopyConfig(config)
	config.GroupVersion, config.APIPath = &corev1.SchemeGroupVersion, "/api"
	config.NegotiatedSerializer = rest.CodecFactoryForGeneratedClient(scheme,
		serializer.NewCodecFactory(scheme)).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("make a client for the Kubernetes API: %w", err)
	}
	return &Client{client, namespace}, nil
}

func (c *Client) configMap(ctx context.Context, name string) (*corev1.ConfigMap, error) {
	configMap := &corev1.ConfigMap{}
	err := c.rest.Get().Namespace(c.namespace).Resource("configmaps").Name(name).Do(ctx).Into(configMap)
	return configMap, err
}

func (c *Client) mergeConfigMap(ctx context.Context, name string, patch []byte) error {
	return c.rest.Patch(types.MergePatchType).Namespace(c.namespace).Resource("configmaps").Name(name).Body(patch).
		Do(ctx).Error()
}

func (c *Client) pod(ctx context.Context, name string) (*corev1.Pod, error) {
	pod := &corev1.Pod{}
	err := c.rest.Get().Namespace(c.namespace).Resource("pods").Name(name).Do(ctx).Into(pod)
	return pod, err
}

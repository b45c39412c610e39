// SPDX-License-Identifier: Apache-2.0

// Command demo shows the product on the running development cluster, as a person would use it: it installs the chart,
// consents to the use of two disks, applies two samples, follows them, and prints their numbers. It shows every command
// it runs. It can be run again.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/hack/devcluster/cluster"
)

const (
	// nodeName is the development cluster's first node, and the one that the samples are for.
	nodeName   = "storage-0"
	samplesDir = "config/samples"
	// patience limits the whole demo; the node may be emulated.
	patience = 30 * time.Minute
)

// sampleFiles are the samples that the demo runs: one on disks, one on a file.
var sampleFiles = []string{"mirror.yaml", "quickstart.yaml"}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	helm := os.Getenv("HELM")
	if helm == "" {
		return errors.New("HELM is not set: `make demo` sets it to the pinned helm")
	}
	options, err := cluster.DefaultOptions()
	if err != nil {
		return err
	}
	up, err := cluster.Open(options)
	if err != nil {
		return fmt.Errorf("%w: `make cluster-up` starts it", err)
	}
	defer up.Close()
	assets, err := cluster.Assets(ctx, options)
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return err
	}
	api, err := client.New(up.RESTConfig(), client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	d := demo{
		options: options,
		cluster: up,
		api:     api,
		tools: tools{helm: helm, kubectl: filepath.Join(assets, "kubectl"), kubeconfig: up.Kubeconfig(),
			dir: options.Repository, out: os.Stdout},
	}
	return d.run(ctx)
}

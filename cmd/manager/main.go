// SPDX-License-Identifier: Apache-2.0

// Command manager runs the operator's controllers.
package main

import (
	"flag"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/controllers"
	"zfsbench.io/operator/internal/config"
)

// version is set when the program is linked.
var version = "dev"

// options are the command line.
type options struct {
	config      string
	leaderElect bool
	metrics     string
	probes      string
	zap         zap.Options
}

func parse(set *flag.FlagSet, args []string) (options, error) {
	var o options
	set.StringVar(&o.config, "config", "/etc/zfsbench/config.yaml", "configuration file")
	set.BoolVar(&o.leaderElect, "leader-elect", false, "let only one of several managers work at a time")
	set.StringVar(&o.metrics, "metrics-bind-address", ":8443",
		"address of the metrics, HTTPS with authentication and authorization; 0 is off")
	set.StringVar(&o.probes, "health-probe-bind-address", ":8081", "address of /healthz and /readyz")
	o.zap.BindFlags(set)
	return o, set.Parse(args)
}

func main() {
	o, err := parse(flag.CommandLine, os.Args[1:])
	if err == nil {
		err = run(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&o.zap)))
	c, err := readConfig(o.config)
	if err != nil {
		return err
	}
	if err := limitMemory(os.Getenv); err != nil {
		return err
	}
	restConfig, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the cluster: %w", err)
	}
	managerOptions, err := optionsOf(o, c)
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(restConfig, managerOptions)
	if err != nil {
		return fmt.Errorf("make manager: %w", err)
	}
	if err := controllers.Setup(mgr, c, version); err != nil {
		return err
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("add health check: %w", err)
	}
	if err := mgr.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("add readiness check: %w", err)
	}
	ctrl.Log.WithName("manager").Info("starting",
		"version", version, "runnerNamespace", c.RunnerNamespace, "runnerImage", c.Runner.Image)
	return mgr.Start(ctrl.SetupSignalHandler())
}

func optionsOf(o options, c config.Manager) (manager.Options, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return manager.Options{}, fmt.Errorf("register types: %w", err)
		}
	}
	return manager.Options{
		Scheme:                        scheme,
		Cache:                         controllers.CacheOptions(c),
		HealthProbeBindAddress:        o.probes,
		LeaderElection:                o.leaderElect,
		LeaderElectionID:              "manager.zfsbench.io",
		LeaderElectionReleaseOnCancel: true,
		Metrics: metricsserver.Options{
			BindAddress:    o.metrics,
			SecureServing:  true,
			FilterProvider: filters.WithAuthenticationAndAuthorization,
		},
	}, nil
}

func readConfig(path string) (config.Manager, error) {
	file, err := os.Open(path)
	if err != nil {
		return config.Manager{}, fmt.Errorf("read configuration: %w", err)
	}
	defer file.Close()
	return config.Decode(file)
}

// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plugin/follow"
	"zfsbench.io/operator/internal/report"
	"zfsbench.io/operator/internal/spec/manifest"
)

// reports are the documents that --report can write, by the extension of the file.
var reports = map[string]string{".md": report.MarkdownKey, ".csv": report.CSVKey, ".json": report.JSONKey}

type runOptions struct {
	options
	files   []string
	wait    bool
	report  string
	timeout time.Duration
}

func runCommand(shared options) *cobra.Command {
	o := runOptions{options: shared}
	cmd := &cobra.Command{
		Use:   "run (-f FILE | NAME)",
		Short: "Run a benchmark, follow it, and write its report",
		Long: `Create the benchmark of a file, or take one that exists by its name. With --wait, follow it until it has
finished, with a line for each state and each trial on the standard error. With --report, which includes
--wait, write its report: summary.md into a file that ends in .md, results.csv into .csv, results.json into
.json.

Interrupt it at any time: the benchmark goes on in the cluster, and "run NAME --wait" follows it again.

` + exitCodes,
		Example: `  # Create, follow, and write the report
  kubectl zfsbench run -f benchmark.yaml --report report.md

  # Create only
  kubectl zfsbench run -f benchmark.yaml

  # Follow one that exists, for at most four hours
  kubectl zfsbench run mirror --wait --timeout 4h`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&o.files, "filename", "f", nil, "file with the ZfsBenchmark, - for standard input")
	flags.BoolVar(&o.wait, "wait", false, "follow the benchmark until it has finished")
	flags.StringVar(&o.report, "report", "", "write the report into this file, once the benchmark has finished")
	flags.DurationVar(&o.timeout, "timeout", 0, "how long to wait at most; 0 is no limit")
	return cmd
}

func (o runOptions) run(ctx context.Context, args []string) error {
	if (len(o.files) > 0) == (len(args) > 0) {
		return errSource
	}
	if o.timeout > 0 && !o.wait && o.report == "" {
		return errors.New("--timeout needs --wait or --report: without them, run does not wait")
	}
	if reports[filepath.Ext(o.report)] == "" && o.report != "" {
		return fmt.Errorf("--report %s: the name must end in .md, .csv or .json", o.report)
	}
	c, err := o.cluster()
	if err != nil {
		return err
	}
	b, err := o.start(ctx, c, args)
	if err != nil {
		return err
	}
	if !o.wait && o.report == "" {
		o.errf("Follow it: %s\n", followCommand(b))
		return nil
	}
	if b, err = o.follow(ctx, c, b); err != nil {
		return err
	}
	if err := o.writeReport(ctx, c, b); err != nil {
		return errors.Join(outcome(b), err)
	}
	return outcome(b)
}

// start creates the benchmark of the files, or gets the one that is named.
func (o runOptions) start(ctx context.Context, c cluster, args []string) (*v1alpha1.ZfsBenchmark, error) {
	if len(args) > 0 {
		return c.benchmark(ctx, args[0])
	}
	documents, err := manifest.ReadFiles(o.files, o.In)
	if err != nil {
		return nil, refuse(err)
	}
	if len(documents.Policies) > 0 {
		return nil, refuse(fmt.Errorf("%s: it has a BenchmarkDevicePolicy, which is a storage administrator's consent to "+
			"losing data: look at it, apply it with kubectl, and leave it out here", documents.Policies[0].File))
	}
	b, err := c.create(ctx, documents.Benchmark, false)
	if err != nil {
		return nil, err
	}
	o.printf("zfsbenchmark.zfsbench.io/%s created\n", b.Name)
	return b, nil
}

// follow prints a line for each change, until the benchmark has finished.
func (o runOptions) follow(ctx context.Context, c cluster, b *v1alpha1.ZfsBenchmark) (*v1alpha1.ZfsBenchmark, error) {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if o.timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, o.timeout)
	}
	defer cancel()
	last := ""
	say := func(line string) {
		if line != last {
			last = line
			o.errf("%s %s\n", time.Now().Format(time.TimeOnly), line)
		}
	}
	key, uid := client.ObjectKeyFromObject(b), b.UID
	err := wait.PollUntilContextCancel(limited, o.poll, true, func(ctx context.Context) (bool, error) {
		current := &v1alpha1.ZfsBenchmark{}
		switch err := c.Get(ctx, key, current); {
		case apierrors.IsNotFound(err) || err == nil && current.UID != uid:
			return false, fmt.Errorf("benchmark %s was deleted before it finished", key.Name)
		case apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err):
			return false, err
		case err != nil:
			if ctx.Err() == nil {
				say(fmt.Sprintf("The API server does not answer, trying again: %v", err))
			}
			return false, nil
		}
		b = current
		say(follow.Line(b))
		return follow.OutcomeOf(b) != follow.Unfinished, nil
	})
	switch {
	case err == nil:
		return b, nil
	case ctx.Err() != nil:
		return nil, exitCodeError{exitInterrupted, fmt.Errorf("interrupted: %s", goesOn(b))}
	case limited.Err() != nil:
		return nil, exitCodeError{exitTimedOut, fmt.Errorf("the benchmark has not finished within %s: %s", o.timeout,
			goesOn(b))}
	}
	return nil, err
}

// goesOn says what to do with a benchmark that is no longer followed.
func goesOn(b *v1alpha1.ZfsBenchmark) string {
	return fmt.Sprintf("benchmark %s goes on in the cluster\n  follow it: %s\n  delete it: kubectl delete "+
		"zfsbenchmark %s --namespace %s", b.Name, followCommand(b), b.Name, b.Namespace)
}

func followCommand(b *v1alpha1.ZfsBenchmark) string {
	return fmt.Sprintf("kubectl zfsbench run %s --namespace %s --wait", b.Name, b.Namespace)
}

// outcome is the error of a finished benchmark. The reason was printed when it finished.
func outcome(b *v1alpha1.ZfsBenchmark) error {
	switch follow.OutcomeOf(b) {
	case follow.Failed:
		return exitCodeError{exitFailed, fmt.Errorf("benchmark %s failed", b.Name)}
	case follow.NotMet:
		return exitCodeError{exitNotMet, fmt.Errorf("benchmark %s does not meet its thresholds", b.Name)}
	case follow.Refused:
		return refuse(fmt.Errorf("benchmark %s is not valid", b.Name))
	}
	return nil
}

// writeReport writes the document that --report asks for.
func (o runOptions) writeReport(ctx context.Context, c cluster, b *v1alpha1.ZfsBenchmark) error {
	if o.report == "" {
		return nil
	}
	document, err := c.document(ctx, b, reports[filepath.Ext(o.report)])
	if err != nil {
		return fmt.Errorf("write the report of benchmark %s: %w", b.Name, err)
	}
	if err := os.WriteFile(o.report, []byte(document), 0o644); err != nil {
		return fmt.Errorf("write the report of benchmark %s: %w", b.Name, err)
	}
	o.errf("The report is in %s.\n", o.report)
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package pgbench

import (
	"fmt"
	"strings"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/builtin"
)

const (
	// scaleBytes is the size of a unit of scale with its index, accountsPerSecond how many of its 100,000 accounts a slow
	// machine makes in a second.
	scaleBytes        = 16 << 20
	scaleAccounts     = 100000
	accountsPerSecond = 20000
	// growth is how many times its first size a database may take when all of its rows have been written again. The log of
	// transactions and the history take logBytesPerSecond.
	growth            = 2
	logBytesPerSecond = 1 << 20
	// startAndStop is for initdb, and for starting and stopping the server.
	startAndStop = 2 * time.Minute

	// serverTasks is the number of processes of the server itself and of initdb. dataBytes is the private memory that the
	// server needs for its tables of connections and pages.
	serverTasks = 64
	dataBytes   = 512 << 20
)

// Tool is pgbench with its server, started by the runner's own program.
type Tool struct {
	builtin.Tool
	v1alpha1.PgbenchWorkload
}

// Of returns the tool for a workload that uses it; nil for others.
func Of(w v1alpha1.Workload) tools.Tool {
	if w.Pgbench == nil {
		return nil
	}
	return Tool{builtin.Tool{Called: string(tool), Workload: w.Name}, *w.Pgbench}
}

// seconds is how long it measures.
func (t Tool) seconds() float64 { return t.WithDefaults().Runtime.Seconds() }

// Bytes is the size of the database, the server's log and pgbench's log.
func (t Tool) Bytes() float64 {
	return growth*scaleBytes*float64(t.WithDefaults().Scale) + growth*maxWALBytes + t.seconds()*logBytesPerSecond
}

// Duration counts making the database, which writes it and its log, and the runtime.
func (t Tool) Duration() time.Duration {
	scale := float64(t.WithDefaults().Scale)
	load := tools.AtRate(scale*scaleAccounts, accountsPerSecond) + tools.AtRate(growth*scale*scaleBytes,
		tools.SlowBytesPerSecond)
	return min(load+startAndStop+t.LeastDuration(), tools.MaxDuration)
}

// LeastDuration is the runtime.
func (t Tool) LeastDuration() time.Duration { return t.WithDefaults().Runtime.Duration }

// Describe names script, scale and clients.
func (t Tool) Describe() string {
	w := t.WithDefaults()
	parts := []string{
		"pgbench, script " + string(w.Script), fmt.Sprintf("scale %d", w.Scale), human.Plural(int(w.Clients), "client"),
		"for " + w.Runtime.Duration.String(), "shared_buffers " + human.Bytes(float64(w.SharedBuffers.Value())),
	}
	return strings.Join(tools.Words(parts, tools.Option{Set: !*w.FullPageWrites, Word: "no full-page writes"}), ", ")
}

// Options returns the command line.
func (t Tool) Options() map[string]string {
	return tools.Command(Argv(t.PgbenchWorkload, "", "", 0, false))
}

// Synchronous is true: a transaction waits until its log record is on stable storage. Read-only transactions write
// nothing.
func (Tool) Synchronous() bool { return true }

// HasOwnData is true: pgbench's rows compress well.
func (Tool) HasOwnData() bool { return true }

// NeedsLayout is true: the database has to exist.
func (Tool) NeedsLayout() bool { return true }

// Probe looks for pgbench and the server.
func (t Tool) Probe() tools.Probe {
	return tools.Probe{
		Argv: []string{builtin.Program, Subcommand, "--probe"}, Self: true,
		Version: func(stdout, _ string) string { return Version(stdout) },
		Hint:    "apt-get install postgresql brings pgbench and the server",
	}
}

// Start is the runner itself, as a user with a name, which the server insists on.
func (t Tool) Start(on tools.Place) (tools.Start, error) {
	return tools.Start{
		Argv: Argv(t.PgbenchWorkload, t.Directory(on), on.Report(), on.Seed, on.Layout), Self: true, NamedUser: true,
		Limits: tools.Limits{Tasks: builtin.Threads + serverTasks + 2*int(t.WithDefaults().Clients), DataBytes: dataBytes},
	}, nil
}

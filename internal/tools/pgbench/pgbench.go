// SPDX-License-Identifier: Apache-2.0

package pgbench

import (
	"fmt"
	"strings"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/builtin"
	"zfsbench.io/operator/internal/tools/toolreport"
)

// Subcommand is the runner's hidden subcommand that starts server and pgbench.
const Subcommand = "pgbench"

// User is the database's only user.
const User = "zfsbench"

const mebibyte = 1 << 20

// maxWALBytes is how much log the server keeps between checkpoints.
const maxWALBytes = 1 << 30

// tool is the tool's name in messages.
const tool = toolreport.Tool("pgbench")

// Argv is the command that measures a workload in a directory and writes its report to a file, both absolute paths.
// With layout it only makes the database.
func Argv(w v1alpha1.PgbenchWorkload, directory, report string, seed uint64, layout bool) []string {
	w = w.WithDefaults()
	argv := []string{
		builtin.Program, Subcommand, "--directory=" + directory, "--report=" + report, "--script=" + string(w.Script),
		fmt.Sprintf("--scale=%d", w.Scale), fmt.Sprintf("--clients=%d", w.Clients), "--runtime=" +
			w.Runtime.Duration.String(),
		fmt.Sprintf("--shared-buffers=%d", w.SharedBuffers.Value()), fmt.Sprintf("--full-page-writes=%t", *w.FullPageWrites),
		fmt.Sprintf("--seed=%d", seed),
	}
	if layout {
		argv = append(argv, "--layout")
	}
	return argv
}

// Server is the command of the server for a database in a directory, which also has its socket. It uses only shared
// memory from mmap, and listens on no network.
func Server(w v1alpha1.PgbenchWorkload, programs, directory string) []string {
	w = w.WithDefaults()
	argv := []string{programs + "/postgres", "-D", Data(directory)}
	for _, setting := range []string{
		"listen_addresses=", "unix_socket_directories=" + directory, "dynamic_shared_memory_type=mmap", "huge_pages=off",
		fmt.Sprintf("max_connections=%d", w.Clients+reservedConnections),
		fmt.Sprintf("shared_buffers=%dMB", w.SharedBuffers.Value()/mebibyte),
		fmt.Sprintf("full_page_writes=%t", *w.FullPageWrites), fmt.Sprintf("max_wal_size=%dMB", maxWALBytes/mebibyte),
		"log_min_messages=fatal",
	} {
		argv = append(argv, "-c", setting)
	}
	return argv
}

// reservedConnections are for the check that the server is ready, and for the ones that the server reserves for
// superusers.
const reservedConnections = 8

// Data is the path of the database below a directory.
func Data(directory string) string { return directory + "/data" }

// Log is the prefix of pgbench's transaction logs below a directory.
func Log(directory string) string { return directory + "/transactions" }

// Initdb is the command that makes an empty database. It does not sync: everything that a layout writes is synced at
// its end.
func Initdb(programs, directory string) []string {
	return []string{programs + "/initdb", "-D", Data(directory), "-U", User, "--auth=trust", "--encoding=UTF8",
		"--no-locale", "--no-sync"}
}

// Ready is the command that says whether the server takes connections.
func Ready(programs, directory string) []string {
	return []string{programs + "/pg_isready", "-q", "-h", directory, "-U", User, "-d", "postgres"}
}

// Load is the command that makes the tables.
func Load(w v1alpha1.PgbenchWorkload, programs, directory string) []string {
	scale := fmt.Sprint(w.WithDefaults().Scale)
	return []string{programs + "/pgbench", "-i", "-q", "-s", scale, "-h", directory, "-U", User, "postgres"}
}

// builtins are the scripts as pgbench calls them.
var builtins = map[v1alpha1.PgbenchScript]string{
	v1alpha1.PgbenchTPCB: "tpcb-like", v1alpha1.PgbenchSimpleUpdate: "simple-update",
	v1alpha1.PgbenchSelectOnly: "select-only",
}

// maxThreads is how many threads pgbench has at most: one is enough for several clients.
const maxThreads = 16

// Measure is the command that measures. It logs each transaction; of read-only ones, one in ten, because there are
// many.
func Measure(w v1alpha1.PgbenchWorkload, programs, directory string, seed uint64) []string {
	w = w.WithDefaults()
	argv := []string{
		programs + "/pgbench", "-n", "-b", builtins[w.Script], "-c", fmt.Sprint(w.Clients), "-j",
		fmt.Sprint(min(w.Clients, maxThreads)),
		"-T", fmt.Sprint(int64(w.Runtime.Duration / time.Second)), fmt.Sprintf("--random-seed=%d", seed>>33), "--log",
		"--log-prefix=" + Log(directory),
	}
	if w.Script == v1alpha1.PgbenchSelectOnly {
		argv = append(argv, "--sampling-rate=0.1")
	}
	return append(argv, "-h", directory, "-U", User, "postgres")
}

// Version finds the version in what pgbench --version prints; empty if it is not there.
func Version(printed string) string {
	after, found := strings.CutPrefix(printed, "pgbench (PostgreSQL) ")
	words := strings.Fields(after)
	if !found || len(words) == 0 {
		return ""
	}
	return "pgbench-" + words[0]
}

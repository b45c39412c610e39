// SPDX-License-Identifier: Apache-2.0

package fio

// InterruptedCode is fio's exit code after SIGINT. Its report is then complete, up to that moment (tried with 3.33;
// sig_int in fio's backend.c).
const InterruptedCode = 128

// Argv is the command that runs a job file and writes its report to output, both absolute paths. Live status goes to
// standard output, for StatusDecoder.
//
// fio's own --status-interval is not used: while one job is blocked in the kernel for more than five seconds, as ZFS
// does when it throttles writes, any other job that finishes meanwhile kills itself ("fio seems to be stuck grabbing
// stat_sem", tried with 3.39). The ETA line needs no lock.
func Argv(jobFile, output string) []string {
	return []string{"fio", "--output=" + output, "--output-format=json+", "--eta=always", "--eta-interval=2s", jobFile}
}

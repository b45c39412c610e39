// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools/dbench"
)

// option is a word for an option that is set.
type option struct {
	set  bool
	text string
}

// flagged are the parts of a description, with the words for what is set.
func flagged(parts []string, options ...option) string {
	for _, o := range options {
		if o.set {
			parts = append(parts, o.text)
		}
	}
	return strings.Join(parts, ", ")
}

func describeIozone(w v1alpha1.IozoneWorkload) string {
	tests := make([]string, 0, len(w.AllTests()))
	for _, t := range w.AllTests() {
		tests = append(tests, string(t))
	}
	file := "a file of " + human.Bytes(float64(w.Size.Value()))
	if w.Threads > 1 {
		file = fmt.Sprintf("%d threads with %s each", w.Threads, file)
	}
	parts := []string{"iozone", file, "records of " + human.Bytes(float64(w.RecordBytes())), strings.Join(tests, ", ")}
	return flagged(parts, option{w.IncludeFlush, "flush included"}, option{w.IncludeClose, "close included"}, option{w.Sync, "o_sync"}, option{w.Direct, "direct"}, option{w.RandomData, "random data"})
}

func describeFsmark(w v1alpha1.FsmarkWorkload) string {
	w = w.Filled()
	files := fmt.Sprintf("%s of %s", plural(int(w.Files), "file"), human.Bytes(float64(w.FileSize.Value())))
	if w.Threads > 1 {
		files += fmt.Sprintf(" for each of %d threads", w.Threads)
	}
	return flagged([]string{"fs_mark", files, fmt.Sprintf("writes of %d bytes", w.WriteSize), "sync " + string(w.Sync)},
		option{w.Directories > 1, plural(int(w.Directories), "directory")}, option{w.Subdirectories > 0, fmt.Sprintf("%d subdirectories", w.Subdirectories)})
}

// maxCommand is how much of a script's command a description has, in bytes.
const maxCommand = 120

func describeScript(w v1alpha1.ScriptWorkload) string {
	command := strings.Join(strings.Fields(strings.Join(w.Command, " ")), " ")
	if len(command) > maxCommand {
		command = strings.ToValidUTF8(command[:maxCommand], "") + "…"
	}
	metrics := make([]string, 0, len(w.Metrics))
	for _, m := range w.Metrics {
		metrics = append(metrics, fmt.Sprintf("%s in %s", m.Name, m.Unit))
	}
	return fmt.Sprintf("script %s in the image %s, for at most %s, %s", escape(command), w.Image, w.TimeLimit(), strings.Join(metrics, ", "))
}

func describeDbench(w v1alpha1.DbenchWorkload) string {
	return flagged([]string{"dbench", plural(dbench.Clients(w), "client"), "for " + w.RunTime().String()},
		option{w.SyncOpen, "files opened with O_SYNC"}, option{w.SyncDirectories, "directories synced"}, option{w.Fsync, "fsync after every write"})
}

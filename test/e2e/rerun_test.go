// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestTrialIsRunAgain kills fio in the first attempt: the attempt is excluded with its reason, and the trial is run
// again.
func TestTrialIsRunAgain(t *testing.T) {
	obj := newBenchmark("rerun").disks(v1alpha1.VdevStripe, 1).repetitions(2).
		fio("timed-write", v1alpha1.FioWrite, "128k", "16Mi", timeBased(10*time.Second)).apply(t)
	awaitWorkload(t, obj, "timed-write")
	await(t, "fio to be killed", func() (bool, error) {
		_, err := suite.shell.run(t.Context(), "pkill", "-KILL", "-x", "fio")
		return err == nil, nil
	}, func() string { return "no process fio" })
	docs := readDocuments(t, awaitComplete(t, obj))

	excluded := docs.trials[0].Excluded
	if len(excluded) != 1 || excluded[0].Failure.Reason != v1alpha1.ReasonWorkloadFailed || len(docs.trials) != 2 ||
		len(docs.trials[1].Excluded) != 0 {
		t.Fatalf("%d trials, excluded attempts of the first: %+v", len(docs.trials), excluded)
	}
	if !excluded[0].Finished.Before(docs.trials[0].Started) {
		t.Errorf("the excluded attempt ended at %v, and the one that counts started at %v",
			excluded[0].Finished, docs.trials[0].Started)
	}
	if !strings.Contains(docs.summary, "## Excluded") {
		t.Errorf("summary.md does not tell of the excluded attempt:\n%s", docs.summary)
	}
}

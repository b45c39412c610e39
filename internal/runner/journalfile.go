// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/lines"
)

// maxJournalBytes bounds a file of the journal. The largest are trials, whose texts are not cut yet: many workloads
// with every histogram in full.
const maxJournalBytes = 64 << 20

// readJournalFile reads a file of the journal. A larger one is an error: no runner has written it.
func readJournalFile(path string) (_ []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	data, err := io.ReadAll(io.LimitReader(file, maxJournalBytes+1))
	if err == nil && len(data) > maxJournalBytes {
		return nil, fmt.Errorf("%s: %w", path, &lines.LimitError{What: "document", LimitBytes: maxJournalBytes})
	}
	return data, err
}

// parseJournalState reads state.json. What it says is owned is destroyed on its word, after it is proven: it has to be
// as complete as what goes to the API.
func parseJournalState(data []byte) (journalState, error) {
	var state journalState
	if err := json.Unmarshal(data, &state); err != nil {
		return journalState{}, err
	}
	switch {
	case state.Version != journalVersion:
		return journalState{}, fmt.Errorf("it has version %d, this build reads %d", state.Version, journalVersion)
	case state.PlanDigest == "":
		return journalState{}, errors.New("it names no plan")
	case state.Suspended < 0:
		return journalState{}, fmt.Errorf("it was suspended for %s", state.Suspended)
	}
	if state.Ownership != nil {
		if _, err := result.EncodeOwnership(*state.Ownership); err != nil {
			return journalState{}, fmt.Errorf("what it owns: %w", err)
		}
	}
	return state, nil
}

// parseJournalTrial reads trial-NNNNN.json.
func parseJournalTrial(data []byte) (result.Trial, error) {
	var trial result.Trial
	if err := json.Unmarshal(data, &trial); err != nil {
		return result.Trial{}, err
	}
	if trial.Version != result.Version || trial.Index < 0 {
		return result.Trial{}, fmt.Errorf("it is trial %d of version %d", trial.Index, trial.Version)
	}
	return trial, nil
}

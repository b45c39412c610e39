// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/lines"
)

// maxFileBytes limits a file of the journal. The largest files are trials, whose texts are not shortened yet: many
// workloads with complete histograms.
const maxFileBytes = 64 << 20

// readFile reads a file of the journal. A file above the limit is an error: no runner has written it.
func readFile(path string) (_ []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	data, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err == nil && len(data) > maxFileBytes {
		return nil, fmt.Errorf("%s: %w", path, &lines.LimitError{What: "document", LimitBytes: maxFileBytes})
	}
	return data, err
}

// parseState reads state.json. The teardown relies on its ownership record, so that must be as complete as a record in
// the API.
func parseState(data []byte) (contents, error) {
	var state contents
	if err := json.Unmarshal(data, &state); err != nil {
		return contents{}, err
	}
	switch {
	case state.Version != version:
		return contents{}, fmt.Errorf("it has version %d, this build reads %d", state.Version, version)
	case state.PlanDigest == "":
		return contents{}, errors.New("it has no plan digest")
	case state.Suspended < 0:
		return contents{}, fmt.Errorf("it was suspended for %s", state.Suspended)
	}
	if state.Ownership != nil {
		if _, err := result.EncodeOwnership(*state.Ownership); err != nil {
			return contents{}, fmt.Errorf("its ownership record: %w", err)
		}
	}
	return state, nil
}

// parseTrial reads trial-NNNNN.json.
func parseTrial(data []byte) (result.Trial, error) {
	var trial result.Trial
	if err := json.Unmarshal(data, &trial); err != nil {
		return result.Trial{}, err
	}
	if trial.Version != result.Version || trial.Index < 0 {
		return result.Trial{}, fmt.Errorf("it is trial %d of version %d", trial.Index, trial.Version)
	}
	return trial, nil
}

// SPDX-License-Identifier: Apache-2.0

package toolrun

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"zfsbench.io/operator/internal/tools"
)

// sourceRoot is where the files of a source are; empty for none. Of a volume nothing is looked at: what is behind it
// may hang, and then only a tool does, which has a deadline.
func (t Runner) sourceRoot(ctx context.Context, s tools.Source) (string, error) {
	switch {
	case s.Claim == "":
		return t.imageRoot(ctx, s.Image)
	case t.Corpora == "":
		return "", fmt.Errorf("the PersistentVolumeClaim %s: %w", s.Claim, errNoClaims)
	}
	return filepath.Join(t.Corpora, strconv.Itoa(slices.Index(t.Plan.CorpusClaims(), s.Claim))), nil
}

var errNoClaims = errors.New("without Kubernetes there is nobody who mounts claims: run it in a cluster")

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

// sourceRoot is the directory with the files of a source; empty for none. It does not touch a volume, because the
// storage behind it may hang: then only the tool hangs, which has a deadline.
func (t Runner) sourceRoot(ctx context.Context, s tools.Source) (string, error) {
	switch {
	case s.Claim == "":
		return t.imageRoot(ctx, s.Image)
	case t.Corpora == "":
		return "", fmt.Errorf("the PersistentVolumeClaim %s: %w", s.Claim, errNoClaims)
	}
	return filepath.Join(t.Corpora, strconv.Itoa(slices.Index(t.Plan.CorpusClaims(), s.Claim))), nil
}

var errNoClaims = errors.New("claims can be used only in Kubernetes, which mounts them: run the benchmark in a cluster")

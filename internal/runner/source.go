// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"zfsbench.io/operator/api/v1alpha1"
)

// source is where somebody's data comes from: an image or a claim, or neither for none.
type source struct {
	image v1alpha1.ImageReference
	claim string
}

func sourceOf(w v1alpha1.CorpusWorkload) source {
	of := v1alpha1.Workload{Corpus: &w}
	return source{of.Image(), of.CorpusClaim()}
}

// sourceRoot is where the files of a source are; empty for none. Of a volume nothing is looked at: what is behind it may hang, and then only a tool does, which has a deadline.
func (e *Engine) sourceRoot(ctx context.Context, s source) (string, error) {
	switch {
	case s.claim == "":
		return e.imageRoot(ctx, s.image)
	case e.Corpora == "":
		return "", fmt.Errorf("the PersistentVolumeClaim %s: %w", s.claim, errNoClaims)
	}
	return filepath.Join(e.Corpora, strconv.Itoa(slices.Index(e.plan.CorpusClaims(), s.claim))), nil
}

var errNoClaims = errors.New("without Kubernetes there is nobody who mounts claims: run it in a cluster")

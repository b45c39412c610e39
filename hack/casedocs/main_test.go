// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/config/samples/cases"
	"zfsbench.io/operator/internal/testfiles"
)

// TestPageIsUpToDate: the docs say what the comments of the manifests say.
func TestPageIsUpToDate(t *testing.T) {
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(page(all), testfiles.Read(t, "..", "..", "docs", "cases.md")); diff != "" {
		t.Errorf("docs/cases.md is out of date: run `make docs` (-want +got):\n%s", diff)
	}
}

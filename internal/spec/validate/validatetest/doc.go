// SPDX-License-Identifier: Apache-2.0

// Package validatetest is the table of manifests to accept and to refuse. The tests of internal/spec/validate run it
// through the CRDs' rules as Go evaluates them, and through Go's own; those of test/crd through a real API server.
package validatetest

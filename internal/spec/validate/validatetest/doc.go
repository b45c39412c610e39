// SPDX-License-Identifier: Apache-2.0

// Package validatetest is the table of manifests to accept and to refuse. The tests of internal/spec/validate run it through Go, those of test/crd through
// a real API server, so that the two cannot come to differ.
package validatetest

// SPDX-License-Identifier: Apache-2.0

// Package validatetest is the table of manifests to accept and to refuse. The tests of internal/spec/validate run it
// through the CRDs' rules, evaluated in Go, and through the rules written in Go. The tests of test/crd run it through a
// real API server.
package validatetest

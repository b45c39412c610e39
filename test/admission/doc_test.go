// SPDX-License-Identifier: Apache-2.0

// Package admission_test installs the roles and the admission policy into a real API server and asks it, case by case,
// who may do what and what comes into the runner namespace. It reads the kustomize files; `make chart-test` holds the
// chart equal to them.
package admission_test

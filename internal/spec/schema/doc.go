// SPDX-License-Identifier: Apache-2.0

// Package schema evaluates the schemas and CEL rules of the CRDs where no API server does: in `runner run`, and for
// the variants that a matrix makes or a plan lists. It takes nothing but what the CRDs say; rules that CEL cannot
// express are in internal/spec/validate. It is pure.
//
// Parsing and type-checking CEL is most of the work, and a runner on a slow node checks its plan at every start. So
// Compile does it when the CRDs are generated, and the result is embedded. Rules about changes (oldSelf) are left out:
// without an API server nothing is updated.
package schema

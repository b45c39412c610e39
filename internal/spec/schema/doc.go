// SPDX-License-Identifier: Apache-2.0

// Package schema evaluates the schemas and CEL rules of the CRDs where no API server does: in `runner run`, and for the
// variants that a matrix makes or a plan lists. It knows only what the CRDs say; rules that CEL cannot express are in
// internal/spec/validate. It is pure.
//
// Parsing and type-checking CEL is most of the work, and a runner on a slow node checks its plan at every start. So
// Compile does it when the CRDs are generated, and the result is embedded. Rules about changes (oldSelf) are left out:
// without an API server nothing is updated.
//
// What it costs on amd64: less than 0.2 s of processor time for a plan of 1,024 variants
// (`go test -run ^$ -bench Check ./internal/plan`). For a manifest, `runner run` takes 0.06 s of processor time and 36
// MiB in all (`/usr/bin/time -v runner run -f config/samples/mirror.yaml --out OUT`, which another node refuses). 10 MiB
// of them are for this package, and 21 MiB are pages of the program, so a smaller program takes less memory.
package schema

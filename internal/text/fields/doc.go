// SPDX-License-Identifier: Apache-2.0

// Package fields reads the quantities in the fields of a spec. It knows nothing of what a field is for. It is pure.
package fields

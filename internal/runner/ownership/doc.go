// SPDX-License-Identifier: Apache-2.0

// Package ownership builds the record of what a trial is about to own on the node, and answers questions about such a
// record. It creates and removes nothing; only SamePath looks at the node.
package ownership

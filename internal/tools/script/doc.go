// SPDX-License-Identifier: Apache-2.0

// Package script knows what a script's numbers mean and reads what it prints. It is pure.
package script

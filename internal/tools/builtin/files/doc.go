// SPDX-License-Identifier: Apache-2.0

// Package files has what the runner's own measuring tools do with files, in the sandbox.
package files

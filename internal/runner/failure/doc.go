// SPDX-License-Identifier: Apache-2.0

// Package failure adds to an error what was being done, and the condition reason with which the API reports it. It must
// not know what the runner's other packages do.
package failure

// SPDX-License-Identifier: Apache-2.0

// Package failure gives an error the condition reason that the API reports it with, and says what was being done. It
// must not know what the runner's other packages do.
package failure

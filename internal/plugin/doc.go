// SPDX-License-Identifier: Apache-2.0

// Package plugin has the commands of the kubectl plugin, kubectl zfsbench. They reach the API server with the user's
// own credentials and nothing else; what they say is computed in the packages below.
package plugin

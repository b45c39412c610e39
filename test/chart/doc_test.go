// SPDX-License-Identifier: Apache-2.0

// Package chart_test installs the chart with helm into a real API server, and takes it away again.
package chart_test

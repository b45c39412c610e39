// SPDX-License-Identifier: Apache-2.0

// Package config is the manager's configuration file: where runners live, how their pods look and how much of a node
// they may take.
package config

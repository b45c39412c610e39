// SPDX-License-Identifier: Apache-2.0

package model

// Version is the schema version of results.json. Fields are added without changing it.
const Version = 1

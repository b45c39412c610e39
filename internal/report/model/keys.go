// SPDX-License-Identifier: Apache-2.0

package model

// The keys of the documents in the results ConfigMap, and their file names elsewhere.
const (
	MarkdownKey   = "summary.md"
	CSVKey        = "results.csv"
	JSONKey       = "results.json"
	ComparableKey = "comparable.json"
	// StorageClassKey and ZpoolCreateKey exist if a variant is recommended.
	StorageClassKey = "storageclass.yaml"
	ZpoolCreateKey  = "zpool-create.txt"
)

// SPDX-License-Identifier: Apache-2.0

// Package table makes the tables that the plugin prints. It is pure.
package table

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// New is a table without rows.
func New(columns ...string) metav1.Table {
	var t metav1.Table
	for _, name := range columns {
		t.ColumnDefinitions = append(t.ColumnDefinitions, metav1.TableColumnDefinition{Name: name, Type: "string"})
	}
	return t
}

// Wide makes columns ones that only -o wide shows.
func Wide(t *metav1.Table, columns ...string) {
	for i := range t.ColumnDefinitions {
		for _, name := range columns {
			if t.ColumnDefinitions[i].Name == name {
				t.ColumnDefinitions[i].Priority = 1
			}
		}
	}
}

// Add adds a row. An empty cell reads <none>, as in kubectl's tables.
func Add(t *metav1.Table, cells ...string) {
	row := metav1.TableRow{}
	for _, cell := range cells {
		if cell == "" {
			cell = "<none>"
		}
		row.Cells = append(row.Cells, cell)
	}
	t.Rows = append(t.Rows, row)
}

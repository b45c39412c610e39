// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"zfsbench.io/operator/internal/jobspec"
)

// holdCommand is all that the pod does which has a claimed volume mounted: it waits until it is told to end.
func holdCommand() *cobra.Command {
	return &cobra.Command{
		Use: jobspec.HoldCommand, Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			<-cmd.Context().Done()
			return nil
		},
	}
}

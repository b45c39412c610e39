// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/tools/script"
)

// lookCommand is the runner's own re-execution in the sandbox of a script, which says where its program is, before
// anything is made.
func lookCommand() *cobra.Command {
	return &cobra.Command{
		Use: script.LookCommand + " PROGRAM", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := sandbox.Look(args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		},
	}
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/tools/script"
)

// lookCommand is what the preflight executes in a script's sandbox to find the script's program.
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

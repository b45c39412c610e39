// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"zfsbench.io/operator/internal/kube/jobspec"
)

// holdCommand is the whole program of a container that holds a claimed volume or an image's files: it waits for a
// signal to end. Its argument only distinguishes holders.
func holdCommand() *cobra.Command {
	return &cobra.Command{
		Use: jobspec.HoldCommand, Hidden: true, Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, _ []string) error {
			<-cmd.Context().Done()
			return nil
		},
	}
}

// installHolderCommand copies this program to where the containers of images find it: an image need not have a program
// that can wait.
func installHolderCommand() *cobra.Command {
	return &cobra.Command{
		Use: jobspec.InstallCommand + " FILE", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return installHolder(args[0]) },
	}
}

// installHolder replaces the file and does not overwrite it: another container may be running it.
func installHolder(path string) error {
	own, err := os.Open("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("open this program: %w", err)
	}
	defer func() { _ = own.Close() }() // only read from
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("install the holder: %w", err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o555)
	if err != nil {
		return fmt.Errorf("install the holder: %w", err)
	}
	if _, err := io.Copy(file, own); err != nil {
		return errors.Join(fmt.Errorf("install the holder: %w", err), file.Close())
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("install the holder: %w", err)
	}
	return nil
}

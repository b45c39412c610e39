// SPDX-License-Identifier: Apache-2.0

// Command faulttable prints what the rows of a file say about the code of this checkout. It fails if a case is missing
// or lost something.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"zfsbench.io/operator/hack/faulttable/table"
)

func main() {
	file := flag.String("rows", "faults.jsonl", "the file of the rows")
	flag.Parse()
	if err := run(context.Background(), *file); err != nil {
		fmt.Fprintln(os.Stderr, "faulttable:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file string) error {
	code, err := table.CodeOf(ctx, ".")
	if err != nil {
		return err
	}
	if code.Digest == "" {
		return errors.New("sources of manager or runner are changed and not committed: rows are kept for commits only")
	}
	rows, err := table.ReadFile(file)
	if err != nil {
		return err
	}
	summary := table.Summarize(rows, code.Digest)
	if summary.Ran == 0 {
		return fmt.Errorf("%s has no row of this code (digest %s); run make test-faults", file, code.Digest)
	}
	fmt.Printf("rows of digest %s, of the commits %s, %.0f minutes in all\n%s\n",
		code.Digest, strings.Join(summary.Commits, ", "), summary.Seconds/60, summary)
	switch {
	case len(summary.Lost) > 0:
		return fmt.Errorf("%d cases lost something", len(summary.Lost))
	case !summary.IsComplete():
		return fmt.Errorf("%d cases have not run; run make test-faults for the next shard", summary.Cases-summary.Ran)
	}
	return nil
}

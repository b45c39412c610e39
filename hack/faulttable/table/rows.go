// SPDX-License-Identifier: Apache-2.0

package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// ReadFile reads the rows of a file, in the order in which they ran. A file that does not exist has none.
func ReadFile(name string) ([]Row, error) {
	content, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i, line := range strings.Split(string(content), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var row Row
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return nil, fmt.Errorf("line %d of %s is no row of the fault table; remove it, and its case runs again: %w",
				i+1, name, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Append adds a row to a file and returns when it is on disk.
func Append(name string, row Row) error {
	line, err := json.Marshal(row)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Sync(), file.Close())
}

// Summary is what the rows of one state of the code say together. Of a case that ran several times the last row counts.
type Summary struct {
	// Ran is how many cases ran, Cases how many the table has.
	Ran, Cases int
	// Lost are the cases with a loss, Recovered those that had one in an earlier row.
	Lost, Recovered []string
	// Commits are those that the rows are of.
	Commits []string
	// Seconds is how long all cases took.
	Seconds float64
}

// Summarize counts the rows of the code with a digest, which is not empty.
func Summarize(rows []Row, digest string) Summary {
	var s Summary
	last, lostBefore := map[string]Row{}, map[string]bool{}
	for _, row := range rows {
		if digest == "" || row.Digest != digest {
			continue
		}
		lostBefore[row.Name] = lostBefore[row.Name] || row.Losses > 0
		last[row.Name] = row
		s.Cases = max(s.Cases, row.Cases)
		if !slices.Contains(s.Commits, row.Commit) {
			s.Commits = append(s.Commits, row.Commit)
		}
	}
	for name, row := range last {
		s.Seconds += row.Seconds
		switch {
		case row.Losses > 0:
			s.Lost = append(s.Lost, name)
		case lostBefore[name]:
			s.Recovered = append(s.Recovered, name)
		}
	}
	slices.Sort(s.Lost)
	slices.Sort(s.Recovered)
	s.Ran = len(last)
	return s
}

// IsComplete says whether every case ran.
func (s Summary) IsComplete() bool { return s.Ran > 0 && s.Ran >= s.Cases }

// String is the line that says it all, after those that a person has to look at.
func (s Summary) String() string {
	var text strings.Builder
	for _, name := range s.Recovered {
		fmt.Fprintf(&text, "%s: passed after an earlier loss\n", name)
	}
	for _, name := range s.Lost {
		fmt.Fprintf(&text, "%s: LOSS\n", name)
	}
	which := "all"
	if !s.IsComplete() {
		which = fmt.Sprintf("of %d", s.Cases)
	}
	fmt.Fprintf(&text, "fault table: %d cases (%s), %d losses", s.Ran, which, len(s.Lost))
	return text.String()
}

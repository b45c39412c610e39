// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
)

// pipes are the two ends of everything that goes in and out of a sandbox. theirs[i] becomes descriptor i of the child;
// mine[i] stays in this process.
type pipes struct {
	mine, theirs [5]*os.File
	copies       sync.WaitGroup
}

func newPipes() (*pipes, error) {
	p := &pipes{}
	childReads := [5]bool{0: true, configFD: true}
	for i := range p.theirs {
		r, w, err := os.Pipe()
		if err != nil {
			p.finish()
			return nil, fmt.Errorf("sandbox: make a pipe: %w", err)
		}
		p.mine[i], p.theirs[i] = r, w
		if childReads[i] {
			p.mine[i], p.theirs[i] = w, r
		}
	}
	return p, nil
}

// closeTheirs closes the child's ends in this process, so that this process sees an end of file when the child exits.
func (p *pipes) closeTheirs() {
	for i, f := range p.theirs {
		if f != nil {
			_ = f.Close()
			p.theirs[i] = nil
		}
	}
}

// finish closes every end that is still open, and waits for the copying, which ends then. After that nothing is written
// to the caller's writers, even if a stuck tool still holds the pipes.
func (p *pipes) finish() {
	p.closeTheirs()
	for _, f := range p.mine {
		if f != nil {
			_ = f.Close()
		}
	}
	p.copies.Wait()
}

// copyAll copies in the background: input until the tool no longer reads, output until it no longer writes.
func (p *pipes) copyAll(cmd Command) {
	stdin, stdout, stderr := p.mine[0], p.mine[1], p.mine[2]
	p.copies.Go(func() {
		_, _ = io.Copy(stdin, bytes.NewReader(cmd.Stdin))
		_ = stdin.Close()
	})
	p.copies.Go(func() { copyOut(cmd.Stdout, stdout) })
	p.copies.Go(func() { copyOut(cmd.Stderr, stderr) })
}

// copyOut reads to the end even if the writer fails: a tool must not block because nobody reads.
func copyOut(to io.Writer, from io.Reader) {
	if to != nil {
		_, _ = io.Copy(to, from)
	}
	_, _ = io.Copy(io.Discard, from)
}

// converse runs the parent's side of the conversation with the sandbox.
func (p *pipes) converse(cmd Command) handshake {
	c := config{
		Argv: cmd.Argv, Self: cmd.Self, Target: cmd.Target, Children: cmd.Children, Output: cmd.Output, Root: cmd.Root,
		Image: cmd.Image, Source: cmd.Source, UID: cmd.UID, GID: cmd.GID,
		Named: cmd.NamedUser, IOUring: cmd.IOUring, Limits: cmd.Limits,
	}
	return converse(p.mine[configFD], p.mine[statusFD], c, cmd.Ready)
}

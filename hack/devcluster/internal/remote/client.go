// Package remote runs programs on a node, over SSH from inside the cluster's network namespace.
package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"zfsbench.io/operator/hack/devcluster/internal/netns"
)

// connectTimeout bounds one attempt to log in; under emulation the key exchange takes seconds.
const connectTimeout = 30 * time.Second

// sessionTimeout bounds the opening of a session on a connection that exists.
const sessionTimeout = 30 * time.Second

// interruptGrace is how long an interrupted program has to end.
const interruptGrace = 5 * time.Second

// ErrNoSession means that the connection is dead and that nothing ran.
var ErrNoSession = errors.New("no session on this connection")

// Command is a program to run on a node.
type Command struct {
	// Args is the program and its arguments. They reach the program as they are: no shell expands them.
	Args []string
	// Env is added to the environment, as NAME=VALUE.
	Env   []string
	Stdin io.Reader
	// Stdout, when set, receives the output as it comes, and none is returned.
	Stdout io.Writer
	// Stderr, when set, receives the output as it comes, in addition to what is returned.
	Stderr io.Writer
}

// ExitError is a program that ended with a non-zero exit code or by a signal.
type ExitError struct {
	Args     []string
	ExitCode int
	Signal   string // without SIG; empty when the program exited by itself
	Stderr   string
}

func (e *ExitError) Error() string {
	end := fmt.Sprintf("exit code %d", e.ExitCode)
	if e.Signal != "" {
		end = "signal " + e.Signal
	}
	return fmt.Sprintf("%s: %s: %s", strings.Join(e.Args, " "), end, strings.TrimSpace(e.Stderr))
}

// Endpoint says how to reach a node.
type Endpoint struct {
	Namespace netns.Namespace
	Address   string // host:port
	Signer    ssh.Signer
	HostKey   ssh.PublicKey
}

// Client is a connection to a node. It is safe for concurrent use.
type Client struct {
	ssh *ssh.Client
}

// Dial logs in as root.
func Dial(ctx context.Context, e Endpoint) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := e.Namespace.DialContext(ctx, "tcp", e.Address)
	if err != nil {
		return nil, fmt.Errorf("log in to %s: %w", e.Address, err)
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	config := &ssh.ClientConfig{
		User:            "root",
		Auth:            []ssh.AuthMethod{ssh.PublicKeys(e.Signer)},
		HostKeyCallback: ssh.FixedHostKey(e.HostKey),
		// Processors have instructions for it, also the emulated ones.
		Config: ssh.Config{Ciphers: []string{ssh.CipherAES128GCM}},
	}
	sshConn, channels, requests, err := ssh.NewClientConn(conn, e.Address, config)
	if err != nil {
		return nil, fmt.Errorf("log in to %s: %w", e.Address, errors.Join(err, ctx.Err(), conn.Close()))
	}
	return &Client{ssh: ssh.NewClient(sshConn, channels, requests)}, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.ssh.Close() }

// Run runs the program to its end and returns what it printed. A program that fails gives an *ExitError. When
// ctx ends first the program is sent a SIGTERM and the session closed.
func (c *Client) Run(ctx context.Context, command Command) (stdout, stderr string, err error) {
	if len(command.Args) == 0 {
		return "", "", errors.New("run on node: no program given")
	}
	session, err := c.newSession(ctx)
	if err != nil {
		return "", "", fmt.Errorf("run %s on node: %w", command.Args[0], err)
	}
	defer session.Close()
	var out, errOut bytes.Buffer
	session.Stdin = command.Stdin
	session.Stdout, session.Stderr = &out, &errOut
	if command.Stdout != nil {
		session.Stdout = command.Stdout
	}
	if command.Stderr != nil {
		session.Stderr = io.MultiWriter(&errOut, command.Stderr)
	}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { c.interrupt(session, done) })
	defer stop()
	err = session.Run(commandLine(command))
	close(done)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out.String(), errOut.String(), wrap(err, command.Args, errOut.String())
}

// interrupt ends a session, and the whole connection when the other end does not react: it may be gone.
func (c *Client) interrupt(session *ssh.Session, done <-chan struct{}) {
	_ = session.Signal(ssh.SIGTERM)
	session.Close()
	select {
	case <-done:
	case <-time.After(interruptGrace):
		c.ssh.Close()
	}
}

// newSession fails with ErrNoSession on a connection whose other end is gone. A node that lost power does not
// say so, hence the time limit.
func (c *Client) newSession(ctx context.Context) (*ssh.Session, error) {
	type result struct {
		session *ssh.Session
		err     error
	}
	opened := make(chan result, 1)
	go func() {
		session, err := c.ssh.NewSession()
		opened <- result{session, err}
	}()
	select {
	case r := <-opened:
		if r.err != nil {
			return nil, errors.Join(ErrNoSession, r.err)
		}
		return r.session, nil
	case <-time.After(sessionTimeout):
		return nil, ErrNoSession
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func wrap(err error, args []string, stderr string) error {
	if err == nil {
		return nil
	}
	var exit *ssh.ExitError
	if errors.As(err, &exit) {
		return &ExitError{Args: args, ExitCode: exit.ExitStatus(), Signal: exit.Signal(), Stderr: stderr}
	}
	return fmt.Errorf("run %s on node: %w", args[0], err)
}

// commandLine quotes the command for the login shell that sshd hands it to; the protocol knows no argv.
func commandLine(command Command) string {
	words := append([]string{"exec", "env", "LC_ALL=C"}, command.Env...)
	words = append(words, command.Args...)
	for i, word := range words {
		words[i] = Quote(word)
	}
	return strings.Join(words, " ")
}

// Quote makes one word of s for a POSIX shell.
func Quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

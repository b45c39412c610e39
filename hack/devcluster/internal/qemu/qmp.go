package qemu

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"
)

// QMPError is a command that QEMU refused.
type QMPError struct {
	Command string
	Class   string
	Desc    string
}

func (e *QMPError) Error() string { return fmt.Sprintf("qmp %s: %s: %s", e.Command, e.Class, e.Desc) }

// QMP is a connection to a machine's monitor. QEMU serves one at a time; it is for one goroutine. Protocol:
// QEMU Machine Protocol Specification.
type QMP struct {
	conn   io.ReadWriteCloser
	lines  *bufio.Reader
	events []message // received while waiting for an answer
}

type message struct {
	QMP    json.RawMessage `json:"QMP"`
	Return json.RawMessage `json:"return"`
	Error  *struct {
		Class string `json:"class"`
		Desc  string `json:"desc"`
	} `json:"error"`
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data"`
}

// DialQMP connects to the monitor of the machine whose directory is dir.
func DialQMP(ctx context.Context, dir string) (*QMP, error) {
	// Through the directory's descriptor, because a socket's path may have 107 bytes only.
	d, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("dial monitor: %w", err)
	}
	defer d.Close()
	path := filepath.Join(fmt.Sprintf("/proc/self/fd/%d", d.Fd()), QMPSocket)
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("dial monitor in %s: %w", dir, err)
	}
	deadline, found := ctx.Deadline()
	if !found {
		deadline = time.Now().Add(time.Minute)
	}
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	q, err := NewQMP(conn)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("greet monitor in %s: %w", dir, err), conn.Close())
	}
	return q, nil
}

// NewQMP reads the greeting from conn and leaves the negotiation mode.
func NewQMP(conn io.ReadWriteCloser) (*QMP, error) {
	q := &QMP{conn: conn, lines: bufio.NewReader(conn)}
	greeting, err := q.read()
	if err != nil {
		return nil, err
	}
	if greeting.QMP == nil {
		return nil, errors.New("no greeting")
	}
	if err := q.Execute("qmp_capabilities", nil, nil); err != nil {
		return nil, err
	}
	return q, nil
}

// Close ends the connection.
func (q *QMP) Close() error { return q.conn.Close() }

// Execute runs a command and decodes what it returns into result, unless that is nil.
func (q *QMP) Execute(command string, arguments, result any) error {
	request := map[string]any{"execute": command}
	if arguments != nil {
		request["arguments"] = arguments
	}
	line, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("qmp %s: %w", command, err)
	}
	if _, err := q.conn.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("qmp %s: %w", command, err)
	}
	for {
		m, err := q.read()
		switch {
		case err != nil:
			return fmt.Errorf("qmp %s: %w", command, err)
		case m.Event != "":
			q.events = append(q.events, m)
		case m.Error != nil:
			return &QMPError{Command: command, Class: m.Error.Class, Desc: m.Error.Desc}
		case result == nil:
			return nil
		default:
			if err := json.Unmarshal(m.Return, result); err != nil {
				return fmt.Errorf("qmp %s: decode answer: %w", command, err)
			}
			return nil
		}
	}
}

// WaitEvent returns once an event of that name arrived whose data satisfies match.
func (q *QMP) WaitEvent(name string, match func(data json.RawMessage) bool) error {
	for i, m := range q.events {
		if m.Event == name && match(m.Data) {
			q.events = append(q.events[:i], q.events[i+1:]...)
			return nil
		}
	}
	for {
		m, err := q.read()
		if err != nil {
			return fmt.Errorf("wait for %s: %w", name, err)
		}
		if m.Event == name && match(m.Data) {
			return nil
		}
		if m.Event != "" {
			q.events = append(q.events, m)
		}
	}
}

func (q *QMP) read() (message, error) {
	line, err := q.lines.ReadBytes('\n')
	if err != nil {
		return message{}, err
	}
	var m message
	err = json.Unmarshal(line, &m)
	return m, err
}

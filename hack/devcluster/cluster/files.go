package cluster

import (
	"context"
	"fmt"
	"io"
)

// WriteFile writes a file on the node, replacing what is there. The directory must exist.
func (n *Node) WriteFile(ctx context.Context, path string, content io.Reader) error {
	// dd, because it writes nothing to its output and takes the path as it is.
	_, _, err := n.Run(ctx, Command{Args: []string{"dd", "bs=1M", "status=none", "of=" + path}, Stdin: content})
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// ReadFile returns the content of a file on the node.
func (n *Node) ReadFile(ctx context.Context, path string) ([]byte, error) {
	stdout, _, err := n.Run(ctx, Command{Args: []string{"cat", "--", path}})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return []byte(stdout), nil
}

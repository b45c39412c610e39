package qemu

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// replay serves a recorded conversation: lines "S " are sent, lines "C " must arrive exactly.
func replay(t *testing.T, transcript string) *QMP {
	t.Helper()
	content, err := os.ReadFile(transcript)
	if err != nil {
		t.Fatal(err)
	}
	client, server := net.Pipe()
	mismatch := make(chan error, 1)
	go func() {
		mismatch <- serve(server, strings.Split(strings.TrimSpace(string(content)), "\n"))
		server.Close()
	}()
	t.Cleanup(func() {
		client.Close()
		if err := <-mismatch; err != nil {
			t.Error(err)
		}
	})
	q, err := NewQMP(client)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func serve(conn net.Conn, lines []string) error {
	received := bufio.NewReader(conn)
	for _, line := range lines {
		direction, text, _ := strings.Cut(line, " ")
		if direction == "S" {
			if _, err := fmt.Fprintln(conn, text); err != nil {
				return err
			}
			continue
		}
		got, err := received.ReadString('\n')
		if err != nil {
			return fmt.Errorf("waiting for %s: %w", text, err)
		}
		if diff := cmp.Diff(text, strings.TrimSpace(got)); diff != "" {
			return fmt.Errorf("command (-want +got):\n%s", diff)
		}
	}
	return nil
}

func TestHotplug(t *testing.T) {
	q := replay(t, "testdata/qmp-10.0.13-hotplug.txt")
	disk := Disk{Name: "x9", SizeBytes: 64 << 20, Throttle: Throttle{BytesPerSecond: 1 << 20, IOPS: 100}}
	if err := q.AddDisk(disk); err != nil {
		t.Fatal(err)
	}
	throttled := disk
	throttled.Throttle = Throttle{BytesPerSecond: 2 << 20}
	if err := q.SetThrottle(throttled); err != nil {
		t.Fatal(err)
	}
	var refused *QMPError
	err := q.Execute("device_add", map[string]string{"driver": "virtio-blk-pci", "drive": "x9", "id": "x9-dev",
		"serial": "zfsbench-x9"}, nil)
	if !errors.As(err, &refused) || refused.Class != "GenericError" {
		t.Fatalf("second device_add: got %v, want a GenericError", err)
	}
	if err := q.RemoveDisk(disk); err != nil {
		t.Fatal(err)
	}
	if err := q.RemoveDisk(disk); !errors.Is(err, ErrDiskMissing) {
		t.Fatalf("second RemoveDisk: got %v, want ErrDiskMissing", err)
	}
}

func TestNewQMPWithoutGreeting(t *testing.T) {
	client, server := net.Pipe()
	go func() {
		fmt.Fprintln(server, `{"return": {}}`)
		server.Close()
	}()
	if _, err := NewQMP(client); err == nil {
		t.Fatal("a peer that does not greet was taken for QEMU")
	}
}

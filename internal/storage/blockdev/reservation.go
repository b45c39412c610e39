// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
)

// The SCSI commands that read persistent reservations (SPC-4, PERSISTENT RESERVE IN), and their possible answers.
const (
	scsiReserveIn       = 0x5e
	scsiReadKeys        = 0x00
	scsiReadReservation = 0x01
	scsiAnswerBytes     = 512

	scsiGood                = 0x00
	scsiCheckCondition      = 0x02
	scsiReservationConflict = 0x18
	senseIllegalRequest     = 0x05
	senseUnitAttention      = 0x06
)

// errNotSCSI says that a device does not accept SCSI commands.
var errNotSCSI = errors.New("it does not accept SCSI commands")

// scsiAnswer is how a SCSI command ended.
type scsiAnswer struct {
	Status       byte
	Host, Driver uint16
	Sense, Data  []byte
}

// checkReservation requires a disk that no host has reserved, or has registered to reserve. The benchmark never does
// that, so a reservation belongs to somebody who may write to the disk from elsewhere.
func (g *Guard) checkReservation(_ context.Context, _ *hostState, disk *Disk) (err error) {
	opened, err := g.node.Open(g.node.path(disk.Device), shared)
	if err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	for _, action := range []byte{scsiReadReservation, scsiReadKeys} {
		found, err := reserved(opened, action)
		if err != nil {
			return fmt.Errorf("nobody can say whether another host has reserved it: %w", err)
		}
		if found != "" {
			return errors.New(found)
		}
	}
	return nil
}

// reserved asks once, and asks again while the disk reports earlier events.
func reserved(opened device, action byte) (string, error) {
	for range 5 {
		command := []byte{scsiReserveIn, action, 0, 0, 0, 0, 0, scsiAnswerBytes >> 8, scsiAnswerBytes & 0xff, 0}
		answer, err := opened.SCSI(command)
		if errors.Is(err, errNotSCSI) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		if answer.Status == scsiCheckCondition && answer.Host == 0 && senseKey(answer.Sense) == senseUnitAttention {
			continue
		}
		return decideReservation(action, answer)
	}
	return "", errors.New("it keeps reporting unit attention")
}

// decideReservation says who has reserved a disk; empty for nobody. A disk that does not support reservations has none.
func decideReservation(action byte, answer scsiAnswer) (string, error) {
	switch {
	case answer.Host != 0:
		return "", fmt.Errorf("the command did not reach it (host status %#x)", answer.Host)
	case answer.Status == scsiReservationConflict:
		return "another host has reserved it", nil
	case answer.Status == scsiCheckCondition && senseKey(answer.Sense) == senseIllegalRequest:
		return "", nil
	case answer.Status != scsiGood || answer.Driver != 0:
		return "", fmt.Errorf("PERSISTENT RESERVE IN failed (status %#x, driver status %#x, sense % x)",
			answer.Status, answer.Driver, answer.Sense)
	case len(answer.Data) < 8:
		return "", fmt.Errorf("PERSISTENT RESERVE IN answered %d bytes", len(answer.Data))
	case binary.BigEndian.Uint32(answer.Data[4:]) == 0:
		return "", nil
	case action == scsiReadKeys:
		return "hosts have registered reservation keys on it: `sg_persist` shows them", nil
	}
	return "a host has reserved it: `sg_persist --read-reservation` shows it", nil
}

// senseKey reads the key of fixed or descriptor sense data; 0 if there is none.
func senseKey(sense []byte) byte {
	if len(sense) < 3 {
		return 0
	}
	switch sense[0] & 0x7f {
	case 0x70, 0x71:
		return sense[2] & 0x0f
	case 0x72, 0x73:
		return sense[1] & 0x0f
	}
	return 0
}

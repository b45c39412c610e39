// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"strings"
	"testing"
	"unsafe"
)

func TestDecideReservation(t *testing.T) {
	illegal, medium := []byte{0x70, 0, 0x05, 0}, []byte{0x72, 0x03, 0x11}
	none := []byte{0, 0, 0, 1, 0, 0, 0, 0}
	tests := map[string]struct {
		action  byte
		answer  scsiAnswer
		want    string
		problem string
	}{
		"no reservation": {scsiReadReservation, scsiAnswer{Data: none}, "", ""},
		"no keys":        {scsiReadKeys, scsiAnswer{Data: none}, "", ""},
		"a reservation": {scsiReadReservation,
			scsiAnswer{Data: append([]byte{0, 0, 0, 1, 0, 0, 0, 16}, make([]byte, 16)...)}, "a host has reserved it", ""},
		"a key": {scsiReadKeys, scsiAnswer{Data: append([]byte{0, 0, 0, 1, 0, 0, 0, 8}, make([]byte, 8)...)},
			"registered reservation keys", ""},
		"a conflict": {scsiReadKeys, scsiAnswer{Status: scsiReservationConflict}, "another host has reserved it",
			""},
		"not supported": {scsiReadKeys, scsiAnswer{Status: scsiCheckCondition, Sense: illegal}, "", ""},
		"not supported, sense2": {scsiReadKeys, scsiAnswer{Status: scsiCheckCondition, Sense: []byte{0x72, 0x05, 0x20}}, "",
			""},
		"a bad disk":    {scsiReadKeys, scsiAnswer{Status: scsiCheckCondition, Sense: medium}, "", "status 0x2"},
		"without sense": {scsiReadKeys, scsiAnswer{Status: scsiCheckCondition}, "", "status 0x2"},
		"no transport":  {scsiReadKeys, scsiAnswer{Host: 1}, "", "host status 0x1"},
		"no transport, illegal": {scsiReadKeys, scsiAnswer{Host: 3, Status: scsiCheckCondition, Sense: illegal}, "",
			"host status 0x3"},
		"the driver failed": {scsiReadKeys, scsiAnswer{Driver: 6, Data: none}, "", "driver status 0x6"},
		"busy":              {scsiReadKeys, scsiAnswer{Status: 0x08}, "", "status 0x8"},
		"too short":         {scsiReadKeys, scsiAnswer{Data: none[:7]}, "", "answered 7 bytes"},
	}
	for name, test := range tests {
		got, err := decideReservation(test.action, test.answer)
		if !strings.Contains(got, test.want) || test.want == "" && got != "" || (err == nil) != (test.problem == "") ||
			err != nil && !strings.Contains(err.Error(), test.problem) {
			t.Errorf("%s: %q, error %v", name, got, err)
		}
	}
}

// TestCheckRefusesAReservedDisk asks both questions, and once more after unit attention.
func TestCheckRefusesAReservedDisk(t *testing.T) {
	attention := scsiAnswer{Status: scsiCheckCondition, Sense: []byte{0x70, 0, senseUnitAttention}}
	none := scsiAnswer{Data: make([]byte, 8)}
	key := scsiAnswer{Data: append([]byte{0, 0, 0, 1, 0, 0, 0, 8}, make([]byte, 8)...)}
	tests := map[string]struct {
		answers []scsiAnswer
		text    string
	}{
		"free":       {[]scsiAnswer{attention, none, none}, ""},
		"registered": {[]scsiAnswer{none, key}, "registered reservation keys"},
		"no end of them": {[]scsiAnswer{attention, attention, attention, attention, attention},
			"nobody can say whether another host has reserved it"},
	}
	for name, test := range tests {
		b := newBench(t, free(fixture(t, "node-busy-linux-6.12.107")))
		b.disks[Number{254, 32}].scsi = test.answers
		_, err := b.guard.Check(t.Context(), wantD0())
		if (err == nil) != (test.text == "") || err != nil && !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: error %v, want %q", name, err, test.text)
		}
	}
}

func TestSGHeaderIsTheKernels(t *testing.T) {
	if size := unsafe.Sizeof(sgHeader{}); unsafe.Sizeof(uintptr(0)) == 8 && size != 88 {
		t.Errorf("%d bytes, the kernel's has 88", size)
	}
}

// FuzzDecideReservation wants that only a complete answer is no reservation.
func FuzzDecideReservation(f *testing.F) {
	f.Add(byte(1), byte(0), uint16(0), uint16(0), []byte{}, make([]byte, 8))
	f.Add(byte(0), byte(2), uint16(0), uint16(0), []byte{0x70, 0, 5}, []byte{})
	f.Fuzz(func(t *testing.T, action, status byte, host, driver uint16, sense, data []byte) {
		found, err := decideReservation(action, scsiAnswer{status, host, driver, sense, data})
		unsupported := status == scsiCheckCondition && senseKey(sense) == senseIllegalRequest
		if found == "" && err == nil && (host != 0 || !unsupported && (status != scsiGood || len(data) < 8 || driver != 0)) {
			t.Fatalf("status %d, host %d, driver %d, sense %x, data %x is no reservation", status, host, driver, sense, data)
		}
	})
}

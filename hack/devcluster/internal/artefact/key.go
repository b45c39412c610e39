package artefact

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"sort"
)

// keyLength is the number of hexadecimal digits of a key.
const keyLength = 16

// Key collects everything that goes into an artefact. Inputs are length-prefixed, so that moving a byte from
// one input to the next gives another key.
type Key struct {
	h   hash.Hash
	err error
}

// NewKey starts a key; purpose keeps the keys of different recipes apart.
func NewKey(purpose string) *Key {
	return (&Key{h: sha256.New()}).Strings(purpose)
}

// Strings adds strings in the given order.
func (k *Key) Strings(values ...string) *Key {
	fmt.Fprintf(k.h, "strings %d\n", len(values))
	for _, v := range values {
		fmt.Fprintf(k.h, "%d %s\n", len(v), v)
	}
	return k
}

// Map adds a map in the order of its names.
func (k *Key) Map(values map[string]string) *Key {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		k.Strings(name, values[name])
	}
	return k
}

// Files adds the content, not the names, of files. A file that cannot be read makes Sum fail.
func (k *Key) Files(paths ...string) *Key {
	for _, path := range paths {
		if err := k.file(path); err != nil && k.err == nil {
			k.err = fmt.Errorf("hash %s: %w", path, err)
		}
	}
	return k
}

func (k *Key) file(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(k.h, "file %d\n", info.Size())
	_, err = io.Copy(k.h, f)
	return err
}

// Sum returns the key, or the first error met while collecting.
func (k *Key) Sum() (string, error) {
	if k.err != nil {
		return "", k.err
	}
	return hex.EncodeToString(k.h.Sum(nil))[:keyLength], nil
}

func isKey(s string) bool {
	if len(s) != keyLength {
		return false
	}
	_, err := hex.DecodeString(s)
	return err == nil
}

// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"zfsbench.io/operator/internal/report/model"
)

// MaxObjectBytes is how much data one results ConfigMap holds.
const MaxObjectBytes = 256 << 10

// Chunk is the data of one results ConfigMap.
type Chunk struct {
	// Name is the object's name: NAME-results for the first, then NAME-results-1 and so on.
	Name string
	Data map[string]string
}

// Chunks divides the documents over ConfigMaps of at most MaxObjectBytes each, including keys. The first ConfigMap
// always has comparable.json, the beginning of summary.md, and storageclass.yaml and zpool-create.txt if they exist. A
// document that does not fit into the rest of an object is cut into pieces with the keys KEY.000, KEY.001 and so on;
// concatenated in the order of their keys, the pieces are the document. A document in one piece keeps its plain key.
// base is the name of the first object.
func Chunks(base string, out Output) []Chunk {
	p := packer{base: base}
	p.add(model.ComparableKey, out.Comparable)
	if len(out.StorageClass) > 0 {
		p.add(model.StorageClassKey, out.StorageClass)
	}
	if len(out.ZpoolCreate) > 0 {
		p.add(model.ZpoolCreateKey, out.ZpoolCreate)
	}
	for _, document := range []struct {
		key  string
		data []byte
	}{{model.MarkdownKey, out.Markdown}, {model.CSVKey, out.CSV}, {model.JSONKey, out.JSON}} {
		p.add(document.key, document.data)
	}
	return p.chunks
}

// Document returns the document of a key, put together from its pieces in the data of the ConfigMaps that Chunks
// filled. It is false if they do not have it.
func Document(objects []map[string]string, key string) (string, bool) {
	var document strings.Builder
	for piece := -1; ; piece++ {
		name := key
		if piece >= 0 {
			name = pieceKey(key, piece)
		}
		i := slices.IndexFunc(objects, func(data map[string]string) bool { _, found := data[name]; return found })
		switch {
		case i >= 0 && piece < 0:
			return objects[i][name], true
		case i >= 0:
			document.WriteString(objects[i][name])
		case piece >= 0:
			return document.String(), piece > 0
		}
	}
}

// pieceKey is the key of a document's piece, from 0.
func pieceKey(key string, piece int) string { return fmt.Sprintf("%s.%03d", key, piece) }

// ChunkName is the name of the results ConfigMap with a number, from 0. base is the name of the first.
func ChunkName(base string, number int) string {
	if number == 0 {
		return base
	}
	return fmt.Sprintf("%s-%d", base, number)
}

// packer fills objects one after another.
type packer struct {
	base   string
	chunks []Chunk
	left   int
}

func (p *packer) next() {
	p.chunks = append(p.chunks, Chunk{Name: ChunkName(p.base, len(p.chunks)), Data: map[string]string{}})
	p.left = MaxObjectBytes
}

func (p *packer) put(key string, data []byte) {
	p.chunks[len(p.chunks)-1].Data[key] = string(data)
	p.left -= len(key) + len(data)
}

func (p *packer) add(key string, data []byte) {
	if len(p.chunks) == 0 {
		p.next()
	}
	if len(key)+len(data) <= p.left {
		p.put(key, data)
		return
	}
	if len(key)+len(data) <= MaxObjectBytes && key != model.MarkdownKey {
		p.next()
		p.put(key, data)
		return
	}
	for piece := 0; len(data) > 0; piece++ {
		name := pieceKey(key, piece)
		if p.left < MaxObjectBytes/2 {
			p.next()
		}
		size := cut(data, p.left-len(name))
		p.put(name, data[:size])
		data = data[size:]
	}
}

// cut is the length of the longest piece within a limit that ends at the end of a line, or, if no line ends in its
// second half, at a rune boundary.
func cut(data []byte, limit int) int {
	if len(data) <= limit {
		return len(data)
	}
	for i := limit; i > limit/2; i-- {
		if data[i-1] == '\n' {
			return i
		}
	}
	for limit > 1 && !utf8.RuneStart(data[limit]) {
		limit--
	}
	return limit
}

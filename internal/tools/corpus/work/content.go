// SPDX-License-Identifier: Apache-2.0

package work

import (
	"encoding/binary"
	"math/rand/v2"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/builtin/files"
)

// fills are the functions that make data of each kind. They are fast enough that a filesystem is seldom faster.
var fills = map[v1alpha1.CorpusContent]func(random *rand.PCG, data []byte){
	v1alpha1.CorpusText: fillText, v1alpha1.CorpusImage: fillImage, v1alpha1.CorpusZeros: fillZeros,
	v1alpha1.CorpusRandom: files.Fill,
}

// zeroPage is the size of the pages that fillZeros leaves zero, or not.
const zeroPage = 4096

// fillZeros leaves every other page zero, on average.
func fillZeros(random *rand.PCG, data []byte) {
	for len(data) > 0 {
		page := data[:min(zeroPage, len(data))]
		if random.Uint64()&1 == 0 {
			clear(page)
		} else {
			files.Fill(random, page)
		}
		data = data[len(page):]
	}
}

const (
	// imageWidth is the number of samples in a line. Some samples on both sides are background, which is zero.
	imageWidth, imageBackground = 512, 96
	// imageDepth is the largest sample.
	imageDepth = 1<<12 - 1
)

// fillImage makes lines of samples: each sample is near the one before it, and the background has no noise.
func fillImage(random *rand.PCG, data []byte) {
	for len(data) >= 2*imageWidth {
		line := data[:2*imageWidth]
		data = data[2*imageWidth:]
		clear(line)
		r := random.Uint64()
		left, right := imageBackground/2+int(r%imageBackground), imageWidth-imageBackground/2-int(r>>32%imageBackground)
		value := int(r>>48) & imageDepth
		for i := left; i < right; i++ {
			if (i-left)%8 == 0 {
				r = random.Uint64()
			}
			// The sum of two three-bit numbers is most often near the middle, like noise.
			value = min(imageDepth, max(0, value+int(r&7)+int(r>>3&7)-7))
			r >>= 8
			binary.LittleEndian.PutUint16(line[2*i:], uint16(value))
		}
	}
	files.Fill(random, data) // less than a line
}

const (
	// words is the number of different words, phrases the number of sequences of words that are repeated.
	words, phrases = 4096, 1024
	// draws is the number of equally likely numbers that stand for words.
	draws = 1 << 14
)

// vocabulary has the words and phrases of all texts. drawn is the word of each number.
type vocabulary struct {
	words   [words]string
	phrases [phrases]string
	drawn   [draws]uint16
}

var lexicon = newVocabulary()

// newVocabulary makes words of syllables. The n-th is drawn with a probability that is inverse to n (Zipf's law), and
// the first ones are short.
func newVocabulary() *vocabulary {
	v, random := &vocabulary{}, rand.New(rand.NewPCG(1, 2))
	const consonants, vowels = "bcdfghklmnprstvw", "aeiou"
	for i := range v.words {
		word := []byte{}
		for range 1 + random.IntN(2+i/(words/3)) {
			word = append(word, consonants[random.IntN(len(consonants))], vowels[random.IntN(len(vowels))])
		}
		if random.IntN(2) == 0 {
			word = append(word, consonants[random.IntN(len(consonants))])
		}
		v.words[i] = string(append(word, ' '))
	}
	v.drawn = zipf()
	for i := range v.phrases {
		for range 3 + random.IntN(6) {
			v.phrases[i] += v.words[v.drawn[random.IntN(draws)]]
		}
	}
	return v
}

// zipf gives each word a share of the numbers that is inverse to its rank. It uses integers, because floating-point
// results differ between processors.
func zipf() (drawn [draws]uint16) {
	const one = 1 << 32
	var all, below uint64
	for n := range uint64(words) {
		all += one / (n + 1)
	}
	n := uint64(0)
	for i := range uint64(draws) {
		for (below+one/(n+1))*draws <= i*all {
			below += one / (n + 1)
			n++
		}
		drawn[i] = uint16(n)
	}
	return drawn
}

// fillText makes lines of words and phrases.
func fillText(random *rand.PCG, data []byte) {
	const bits, newLine = 16, 15
	for len(data) > 0 {
		r := random.Uint64()
		for range 64 / bits {
			text := lexicon.words[lexicon.drawn[r&(draws-1)]]
			if r>>14&3 == 0 { // one of four
				text = lexicon.phrases[r&(phrases-1)]
			}
			n := copy(data, text)
			if r&newLine == 0 {
				data[n-1] = '\n'
			}
			if data = data[n:]; len(data) == 0 {
				return
			}
			r >>= bits
		}
	}
}

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"unicode/utf8"
)

// corpus is a text as numbers of characters.
type corpus struct {
	alphabet []rune  // the different characters, sorted
	letters  []int64 // the number of each character of the text
}

// newCorpus fails if the text is not UTF-8, or too short to learn from pieces of so many characters.
func newCorpus(text string, context int) (*corpus, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("-text: the text is not UTF-8")
	}
	all := []rune(text)
	if len(all) <= context {
		return nil, fmt.Errorf("-text: the text has %d characters, want more than -context %d", len(all), context)
	}
	c := &corpus{alphabet: slices.Clone(all)}
	slices.Sort(c.alphabet)
	c.alphabet = slices.Compact(c.alphabet)
	var err error
	c.letters, err = c.encode(text)
	return c, err
}

// encode returns the numbers of the characters of text; it fails if the corpus lacks one.
func (c *corpus) encode(text string) (letters []int64, err error) {
	for _, r := range text {
		number, found := slices.BinarySearch(c.alphabet, r)
		if !found {
			return nil, fmt.Errorf("the text that is learned has no %q", r)
		}
		letters = append(letters, int64(number))
	}
	return letters, nil
}

func (c *corpus) decode(letters []int64) string {
	text := make([]rune, len(letters))
	for i, number := range letters {
		text[i] = c.alphabet[number]
	}
	return string(text)
}

// draw returns count pieces of the text of the given length, one after the other, and for each character the one that follows it.
func (c *corpus) draw(random *rand.Rand, count, length int) (pieces, following []int64) {
	for range count {
		start := random.IntN(len(c.letters) - length)
		pieces = append(pieces, c.letters[start:start+length]...)
		following = append(following, c.letters[start+1:start+length+1]...)
	}
	return pieces, following
}

package main

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// corpus is a text as numbers of characters.
type corpus struct {
	text     string
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
	c := &corpus{text: text, alphabet: slices.Clone(all)}
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

// pieces is the data set of all pieces of a text that have the given length: the labels of one are the characters that
// follow each of its own.
type pieces struct {
	env     *nd.Env
	letters []int64
	length  int
}

// Len implements data.Dataset.
func (p pieces) Len() int { return len(p.letters) - p.length }

// Batch implements data.Dataset.
func (p pieces) Batch(starts []int) (data.Batch, error) {
	var letters, following []int64
	for _, start := range starts {
		letters = append(letters, p.letters[start:start+p.length]...)
		following = append(following, p.letters[start+1:start+p.length+1]...)
	}
	count := len(starts)
	return data.Batch{
		Inputs: nd.FromSliceIn(p.env, letters, count, p.length), Labels: nd.FromSliceIn(p.env, following, count, p.length), Count: count,
	}, nil
}

// draws is a sampler: so many samples, each drawn among all.
type draws struct{ samples, among int }

// Len implements data.Sampler.
func (d draws) Len() int { return d.samples }

// Order implements data.Sampler.
func (d draws) Order(ctx context.Context, env *nd.Env) ([]int, error) {
	return nd.ValuesContext[int](ctx, random.Integers(env, 0, d.among-1, d.samples))
}

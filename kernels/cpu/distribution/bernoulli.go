package distribution

import (
	"math"

	"github.com/weft-nd/weft/dtype"
)

// Chance is a probability as its first 32 binary digits and the rest, or 1.
type Chance struct {
	certain bool // the probability is 1
	digits  uint32
	rest    float64 // in [0, 1)
}

// NewChance returns the given probability, 1 included.
func NewChance(probability float64) Chance {
	if probability >= 1 {
		return Chance{certain: true}
	}
	scaled := probability * 0x1p32 // exact, as are the two steps below
	digits := math.Floor(scaled)
	return Chance{digits: uint32(digits), rest: scaled - digits}
}

// Hits fills dst, at most BlockSize elements, with whether the binary fractions with the words of all draws of the elements from first on
// for digits are below the probability: this is so exactly as often as it says. Few elements need a second word.
func (c Chance) Hits(dst []bool, s Source, first uint64) {
	var words [BlockSize]uint32
	s.narrow(words[:len(dst)], first)
	for i, word := range words[:len(dst)] {
		dst[i] = word < c.digits
		if word == c.digits {
			dst[i] = c.undecided(s, first+uint64(i))
		}
	}
	if c.certain {
		for i := range dst {
			dst[i] = true
		}
	}
}

// hit is Hits for one element, whose word of the first draw is given.
func (c Chance) hit(word uint32, s Source, element uint64) bool {
	if word != c.digits {
		return word < c.digits || c.certain
	}
	return c.certain || c.undecided(s, element)
}

// undecided tells it for an element whose first word is equal to the digits.
func (c Chance) undecided(s Source, element uint64) bool {
	for draw := uint16(1); c.rest > 0; draw++ {
		c = NewChance(c.rest)
		if word := s.word(element, draw); word != c.digits {
			return word < c.digits
		}
	}
	return false
}

// BernoulliOf fills dst, at most BlockSize elements, each with whether what has its probability happens.
func BernoulliOf[T dtype.Float](dst []bool, s Source, first uint64, probabilities []T) {
	var words [BlockSize]uint32
	s.narrow(words[:len(dst)], first)
	for i, word := range words[:len(dst)] {
		dst[i] = NewChance(float64(probabilities[i])).hit(word, s, first+uint64(i))
	}
}

package cpu

import (
	"math"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// chance is a probability below 1 as its first 32 binary digits and the rest.
type chance struct {
	certain bool // the probability is 1
	digits  uint32
	rest    float64 // in [0, 1)
}

func newChance(probability float64) chance {
	if probability >= 1 {
		return chance{certain: true}
	}
	scaled := probability * 0x1p32 // exact, as are the two steps below
	digits := math.Floor(scaled)
	return chance{digits: uint32(digits), rest: scaled - digits}
}

// hits fills dst with whether the binary fractions with the words of all draws of the elements from first on for digits are
// below the probability: this is so exactly as often as it says. Few elements need a second word.
func (c chance) hits(dst []bool, s source, first uint64) {
	var words [blockSize]uint32
	s.narrow(words[:len(dst)], first, 0)
	for i, word := range words[:len(dst)] {
		dst[i] = word < c.digits
		if word == c.digits {
			dst[i] = c.undecided(s, first+uint64(i))
		}
	}
	if c.certain {
		repeat(dst, true)
	}
}

// hit is hits for one element, whose word of the first draw is given.
func (c chance) hit(word uint32, s source, element uint64) bool {
	if word != c.digits {
		return word < c.digits || c.certain
	}
	return c.certain || c.undecided(s, element)
}

// undecided tells it for an element whose first word is equal to the digits.
func (c chance) undecided(s source, element uint64) bool {
	for draw := uint16(1); c.rest > 0; draw++ {
		c = newChance(c.rest)
		if word := s.word(element, draw); word != c.digits {
			return word < c.digits
		}
	}
	return false
}

// bernoulli is true with the probability Scalars[0].
func bernoulli(t *parallel.Thread, a *device.Arguments) error {
	c := newChance(a.Scalars[0])
	drawing(t, a, 1, func(s source, first uint64, count int, p pointers) {
		c.hits(slice[bool](p[0], count), s, first)
	})
	return nil
}

var _ = register("bernoulli", entry{dtype.Bool.String(), bernoulli})

// bernoulliOf is true with the probabilities in Inputs[0].
func bernoulliOf[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	if err := checkElements(t, a.Inputs[0], "probability", "from 0 to 1", isProbability[T]); err != nil {
		return err
	}
	drawing(t, a, 4, func(s source, first uint64, count int, p pointers) {
		var words [blockSize]uint32
		s.narrow(words[:count], first, 0)
		dst, probabilities := slice[bool](p[0], count), slice[T](p[1], count)
		for i, word := range words[:count] {
			dst[i] = newChance(float64(probabilities[i])).hit(word, s, first+uint64(i))
		}
	})
	return nil
}

func isProbability[T dtype.Float](p T) bool { return p >= 0 && p <= 1 }

var _ = register("bernoulli_of",
	entry{dtype.Float32.String(), bernoulliOf[float32]}, entry{dtype.Float64.String(), bernoulliOf[float64]})

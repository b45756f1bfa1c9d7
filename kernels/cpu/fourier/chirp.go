package fourier

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// chirp transforms n numbers as a convolution, by 2jk = j² + k² − (k−j)²:
//
//	X[k] = c[k] · Σ (x[j]·c[j])·conj(c[k−j]), c[j] = exp(−πi·j²/n)
//
// The convolution is a product of transforms of a length that has no large prime factors, at least 2n−1.
type chirp[T dtype.Float] struct {
	numbers    []Number[T] // c
	conjugates []Number[T] // conj(c)
	// response is the transform of conj(c), of which number −j is the last but j−1, divided by the length.
	response []Number[T]
	plan     *plan[T]
}

func newChirp[T dtype.Float](n, longest int) *chirp[T] {
	length := smooth(2*n - 1)
	c := &chirp[T]{numbers: make([]Number[T], n), conjugates: make([]Number[T], n), response: make([]Number[T], length), plan: newPlan[T](length, longest)}
	precise := make([]Number[float64], length) // what all numbers of a result are made of
	square := 0                                // modulo 2n, which is a whole turn
	for j := range n {
		number := root(square, 2*n)
		c.numbers[j] = rounded[T](number)
		c.conjugates[j] = c.numbers[j].conjugate()
		number = number.conjugate().scaled(1 / float64(length))
		precise[j] = number
		if j > 0 {
			precise[length-j] = number
		}
		square = (square + 2*j + 1) % (2 * n)
	}
	result := newPlan[float64](length, longest).Run(parallel.Serial(), precise, make([]Number[float64], length))
	for k := range result {
		c.response[k] = rounded[T](result[k])
	}
	return c
}

func (c *chirp[T]) run(t *parallel.Thread, x, other []Number[T]) []Number[T] {
	n := len(c.numbers)
	c.multiply(t, x, c.numbers, false)
	clear(x[n:])
	result := c.plan.Run(t, x, other)
	if &result[0] == &other[0] {
		x, other = other, x
	}
	c.multiply(t, x, c.response, true) // The transform of what is conjugate is the inverse one, conjugate.
	result = c.plan.Run(t, x, other)
	c.multiply(t, result, c.conjugates, true)
	return result[:n]
}

// multiply multiplies the first numbers of x by all of y; what is conjugate to the products takes their place if it is told to.
func (c *chirp[T]) multiply(t *parallel.Thread, x, y []Number[T], conjugate bool) {
	if !c.plan.IsShared() {
		multiply(x[:len(y)], y, conjugate)
		return
	}
	t.ForCost(len(y), 1, func(_ *parallel.Thread, lo, hi int) { multiply(x[lo:hi], y[lo:hi], conjugate) })
}

func multiply[T dtype.Float](x, y []Number[T], conjugate bool) {
	for i := assembledProduct(x, y, conjugate); i < len(x); i++ {
		x[i] = x[i].times(y[i])
		if conjugate {
			x[i] = x[i].conjugate()
		}
	}
}

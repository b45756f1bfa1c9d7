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
	numbers []Number[T] // c
	// response is the transform of conj(c), of which number −j is the last but j−1, divided by the length.
	response []Number[T]
	plan     *Plan[T]
}

func newChirp[T dtype.Float](n, longest int) *chirp[T] {
	length := smooth(2*n - 1)
	c := &chirp[T]{numbers: make([]Number[T], n), response: make([]Number[T], length), plan: newPlan[T](length, longest)}
	precise := make([]Number[float64], length) // what all numbers of a result are made of
	square := 0                                // modulo 2n, which is a whole turn
	for j := range n {
		number := root(square, 2*n)
		c.numbers[j] = rounded[T](number)
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
	room, numbers := len(x), c.numbers
	for j, number := range numbers {
		x[j] = x[j].times(number)
	}
	clear(x[len(numbers):])
	result := c.plan.Run(t, x, other)
	if &result[0] == &other[0] {
		x, other = other, x
	}
	x, response := x[:room], c.response[:room]
	for k, factor := range response {
		x[k] = x[k].times(factor).conjugate() // The transform of what is conjugate is that from numbers to x, conjugate.
	}
	result = c.plan.Run(t, x, other)[:len(numbers)]
	for k, number := range numbers {
		result[k] = result[k].conjugate().times(number)
	}
	return result
}

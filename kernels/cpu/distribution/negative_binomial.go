package distribution

import "math"

// mixtureDraw is the draw from which on a negative binomial number makes its Poisson number: no gamma number comes that far.
const mixtureDraw = 1 << 15

// NegativeBinomial fills dst, at most BlockSize elements, with the numbers of failures before so many successes, each
// of which has the given probability: a Poisson number whose rate is a gamma number. What is beyond int64 becomes its
// largest number.
func NegativeBinomial(dst []int64, s Source, first uint64, successes, probability float64) {
	g, scale := newGammaLaw(successes), min((1-probability)/probability, math.MaxFloat64) // a gamma number may be zero
	b := lawPool.Get().(*lawBuffers)
	defer lawPool.Put(b)
	var rates [BlockSize]float64
	for at := 0; at < len(dst); at += lawBatch {
		g.numbers(b, rates[at:min(at+lawBatch, len(dst))], s, first+uint64(at), scale)
	}
	n, p := numbers{Source: s, base: mixtureDraw, first: first, count: len(dst)}, newPoisson()
	n.fill(dst, func(n *numbers, i int) int64 {
		if rates[i] > MaxRate {
			return math.MaxInt64
		}
		p.set(rates[i])
		return p.draw(n)
	})
}

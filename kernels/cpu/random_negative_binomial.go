package cpu

import (
	"math"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// mixtureDraw is the draw from which on a negative binomial number makes its Poisson number: no gamma number comes that far.
const mixtureDraw = 1 << 15

// negativeBinomial counts failures before Scalars[0] successes, each of which has the probability Scalars[1]: a Poisson number
// whose rate is a gamma number. What is beyond int64 becomes its largest number.
func negativeBinomial(t *parallel.Thread, a *device.Arguments) error {
	g, scale := newGammaLaw(a.Scalars[0]), (1-a.Scalars[1])/a.Scalars[1]
	drawing(t, a, 120, func(s source, first uint64, count int, operands pointers) {
		b := lawPool.Get().(*lawBuffers)
		defer lawPool.Put(b)
		var rates [blockSize]float64
		for at := 0; at < count; at += lawBatch {
			g.numbers(b, rates[at:min(at+lawBatch, count)], s, first+uint64(at), scale)
		}
		n, p := numbers{source: s, base: mixtureDraw, first: first, count: count}, newPoisson()
		n.fill(slice[int64](operands[0], count), func(n *numbers, i int) int64 {
			if rates[i] > MaxRate {
				return math.MaxInt64
			}
			p.set(rates[i])
			return p.draw(n)
		})
	})
	return nil
}

var _ = register("negative_binomial", entry{dtype.Int64.String(), negativeBinomial})

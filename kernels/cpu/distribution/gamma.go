package distribution

import (
	"math"

	"github.com/weft-nd/weft/kernels/cpu/internal/elementary"
)

// gammaLaw is the gamma distribution of one concentration a and scale 1, by the method of Marsaglia and Tsang ("A simple
// method for generating gamma variables", ACM TOMS 26(3), 2000). From a draw on it uses: the value that a number of
// concentration below 1 is made with, from one of a+1, then for each try a normal number and a value to accept it by.
type gammaLaw struct {
	concentration float64
	d, c          float64
}

// gammaTry is where the first try is, and gammaDraws how many draws a try takes.
const (
	gammaTry   = 1
	gammaDraws = 2
)

func newGammaLaw(concentration float64) gammaLaw {
	g := gammaLaw{concentration: concentration, d: concentration - 1.0/3}
	if g.boosted() {
		g.d++
	}
	g.c = 1 / (3 * math.Sqrt(g.d))
	return g
}

// boosted reports whether numbers are made of those of concentration a+1.
func (g *gammaLaw) boosted() bool { return g.concentration < 1 }

// fill computes x and powers such that x·exp(power/a) are gamma numbers; both parts are finite for every a, and the powers
// are 0 unless g is boosted. The first of x is of the element first, an even one.
func (g *gammaLaw) fill(b *lawBuffers, x, powers []float64, s Source, first uint64, draw uint16) {
	b.powersOf(powers, g.boosted(), s, first, draw)
	draw += gammaTry
	b.gaussians(x, s, first, draw)
	words := b.draw(0, len(x), s, first, draw+1)
	for i, z := range x {
		value, accepted := g.accept(z, words[i])
		if !accepted {
			value = g.retry(s, first+uint64(i), draw+gammaDraws)
		}
		x[i] = value
	}
}

// powersOf fills powers with the logarithms of the values of a draw, or with 0.
func (b *lawBuffers) powersOf(powers []float64, boosted bool, s Source, first uint64, draw uint16) {
	if !boosted {
		clear(powers)
		return
	}
	words := b.draw(0, len(powers), s, first, draw)
	for i := range powers {
		powers[i] = elementary.LogUnit(words[i])
	}
}

// retry makes further tries for an element, the first at a draw.
func (g *gammaLaw) retry(s Source, element uint64, draw uint16) float64 {
	for ; ; draw += gammaDraws {
		if value, accepted := g.accept(s.gaussian(element, draw), s.value(element, draw+1)); accepted {
			return value
		}
	}
}

// accept is one try: d·(1+t)³ with t = c·z is accepted with the logarithm z²/2 + d·(1 − (1+t)³ + log (1+t)³) of a
// probability, of which most is left to a bound that takes no logarithm. With c² = 1/(9d) it is
// 3d·(log(1+t) − t + t²/2 − t³/3), which keeps its precision for every d.
func (g *gammaLaw) accept(z float64, word uint64) (value float64, accepted bool) {
	t := float64(g.c * z)
	if t <= -1 {
		return 0, false
	}
	root := 1 + t
	value = float64(g.d * float64(float64(root*root)*root))
	square := float64(z * z)
	if elementary.Unit(word) < 1-float64(0.0331*float64(square*square)) {
		return value, true
	}
	return value, elementary.LogUnit(word) < float64(3*float64(g.d*logRemainder(t)))
}

// logRemainder returns log(1+t) − t + t²/2 − t³/3.
func logRemainder(t float64) float64 {
	if t < -1.0/32 || t > 1.0/32 {
		return ((elementary.Log(1+t) - t) + float64(0.5*float64(t*t))) - float64(float64(t*t)*t)/3
	}
	sum := 0.0
	for n := 13; n >= 4; n-- {
		sum = 1/float64(n) - float64(t*sum)
	}
	square := float64(t * t)
	return -float64(float64(square*square) * sum)
}

// numbers fills x with gamma numbers of a scale.
func (g *gammaLaw) numbers(b *lawBuffers, x []float64, s Source, first uint64, scale float64) {
	powers := b.power[:len(x)]
	g.fill(b, x, powers, s, first, 0)
	for i, v := range x {
		if g.boosted() {
			x[i] = scaledExp(v, powers[i]/g.concentration, scale)
		} else {
			x[i] = float64(v * scale)
		}
	}
}

// Gamma has the parameters concentration and scale. It uses the draws of gammaLaw from 0 on.
var Gamma = following(gamma)

func gamma(b *lawBuffers, x []float64, s Source, first uint64, parameters []float64) {
	g := newGammaLaw(parameters[0])
	g.numbers(b, x, s, first, parameters[1])
}

// ChiSquare has the degrees of freedom as its parameter: it is Gamma with half of them and scale 2.
var ChiSquare = following(chiSquare)

func chiSquare(b *lawBuffers, x []float64, s Source, first uint64, parameters []float64) {
	g := newGammaLaw(parameters[0] / 2)
	g.numbers(b, x, s, first, 2)
}

// StudentT has the degrees of freedom as its parameter: it is z·√(a/g), with z the normal number at draw 0 and g a gamma number of half
// the degrees of freedom, a, from draw 1 on. The root is computed by its logarithm where g may underflow.
var StudentT = following(studentT)

func studentT(b *lawBuffers, x []float64, s Source, first uint64, parameters []float64) {
	freedom := parameters[0]
	half := max(freedom/2, math.SmallestNonzeroFloat64)
	g := newGammaLaw(half)
	values, powers := b.x[:len(x)], b.power[:len(x)]
	g.fill(b, values, powers, s, first, 1)
	b.gaussians(x, s, first, 0)
	for i, z := range x {
		root := math.Sqrt(half / values[i])
		if g.boosted() {
			root = elementary.Exp(float64(0.5*(elementary.Log(half)-elementary.Log(values[i]))) - powers[i]/freedom)
		}
		if z != 0 { // 0·∞ is not a number
			x[i] = float64(z * root)
		}
	}
}

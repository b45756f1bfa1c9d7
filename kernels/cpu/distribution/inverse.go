package distribution

import "github.com/weft-nd/weft/kernels/cpu/internal/elementary"

// transform computes elements from their values at draw 0, each of which stands for a uniform number u as package
// elementary tells: the inverse of the distribution function at u, or one that is as often at every place.
type transform func(x []float64, words []uint64, parameters []float64)

// inverse returns the distribution whose elements are those of a transform.
func inverse(of transform) Continuous {
	return following(func(b *lawBuffers, x []float64, s Source, first uint64, parameters []float64) {
		of(x, b.draw(0, len(x), s, first, 0)[:len(x)], parameters)
	})
}

// Exponential has the parameter scale: it is −scale·log(u).
var Exponential = inverse(exponential)

func exponential(x []float64, words []uint64, parameters []float64) {
	scale := parameters[0]
	for i, w := range words {
		x[i] = -scale * elementary.LogUnit(w)
	}
}

// Weibull has the parameters concentration and scale: it is scale·(−log(u))^(1/concentration).
var Weibull = inverse(weibull)

func weibull(x []float64, words []uint64, parameters []float64) {
	concentration, scale := parameters[0], parameters[1]
	for i, w := range words {
		x[i] = scaledExp(1, elementary.Log(-elementary.LogUnit(w))/concentration, scale)
	}
}

// Gumbel has the parameters location and scale: it is location − scale·log(−log(u)).
var Gumbel = inverse(gumbel)

func gumbel(x []float64, words []uint64, parameters []float64) {
	location, scale := parameters[0], parameters[1]
	for i, w := range words {
		x[i] = location - float64(scale*elementary.Log(-elementary.LogUnit(w)))
	}
}

// Laplace has the parameters location and scale: it is location + scale·log(2u) for u below a half, and location − scale·log(2(1−u))
// above. All bits of the value but the highest stand for 2u or 2(1−u).
var Laplace = inverse(laplace)

func laplace(x []float64, words []uint64, parameters []float64) {
	location, scale := parameters[0], parameters[1]
	for i, w := range words {
		if w < 1<<63 {
			x[i] = location + float64(scale*elementary.LogUnit(w<<1))
		} else {
			x[i] = location - float64(scale*elementary.LogUnit(^w<<1))
		}
	}
}

// Logistic has the parameters location and scale: it is location + scale·(log(u) − log(1−u)).
var Logistic = inverse(logistic)

func logistic(x []float64, words []uint64, parameters []float64) {
	location, scale := parameters[0], parameters[1]
	for i, w := range words {
		x[i] = location + float64(scale*(elementary.LogUnit(w)-elementary.LogUnit(^w)))
	}
}

// Cauchy has the parameters location and scale: it is location + scale·tan(2πu).
var Cauchy = inverse(cauchy)

func cauchy(x []float64, words []uint64, parameters []float64) {
	location, scale := parameters[0], parameters[1]
	for i, w := range words {
		sine, cosine := elementary.SineCosine(w)
		x[i] = location + float64(scale*(sine/cosine))
	}
}

// scaledExp returns scale·value·exp(x), which may be a number where exp(x) underflows or overflows; value is positive.
func scaledExp(value, x, scale float64) float64 {
	switch {
	case scale == 0:
		return 0
	case x > -700 && x < 700:
		return float64(scale * float64(value*elementary.Exp(x)))
	}
	return elementary.Exp(x + (elementary.Log(value) + elementary.Log(scale)))
}

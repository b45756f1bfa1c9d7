package cpu

import "github.com/weft-nd/weft/kernels/cpu/internal/elementary"

// transform computes elements from their values at draw 0, each of which stands for a uniform number u as package
// elementary tells: the inverse of the distribution function at u, or one that is as often at every place.
type transform func(x []float64, words []uint64, scalars []float64)

// inverse registers an operator whose elements are those of a transform.
func inverse(operator string, of transform, nanoseconds float64) struct{} {
	return following(operator, func(b *lawBuffers, x []float64, s source, first uint64, scalars []float64) {
		of(x, b.draw(0, len(x), s, first, 0)[:len(x)], scalars)
	}, nanoseconds)
}

// exponential is −scale·log(u).
func exponential(x []float64, words []uint64, scalars []float64) {
	scale := scalars[0]
	for i, w := range words {
		x[i] = -scale * elementary.LogUnit(w)
	}
}

var _ = inverse("exponential", exponential, 8)

// weibull is scale·(−log(u))^(1/concentration).
func weibull(x []float64, words []uint64, scalars []float64) {
	concentration, scale := scalars[0], scalars[1]
	for i, w := range words {
		x[i] = scaledExp(1, elementary.Log(-elementary.LogUnit(w))/concentration, scale)
	}
}

var _ = inverse("weibull", weibull, 20)

// gumbel is location − scale·log(−log(u)).
func gumbel(x []float64, words []uint64, scalars []float64) {
	location, scale := scalars[0], scalars[1]
	for i, w := range words {
		x[i] = location - float64(scale*elementary.Log(-elementary.LogUnit(w)))
	}
}

var _ = inverse("gumbel", gumbel, 14)

// laplace is location + scale·log(2u) for u below a half, and location − scale·log(2(1−u)) above. All bits of the value
// but the highest stand for 2u or 2(1−u).
func laplace(x []float64, words []uint64, scalars []float64) {
	location, scale := scalars[0], scalars[1]
	for i, w := range words {
		if w < 1<<63 {
			x[i] = location + float64(scale*elementary.LogUnit(w<<1))
		} else {
			x[i] = location - float64(scale*elementary.LogUnit(^w<<1))
		}
	}
}

var _ = inverse("laplace", laplace, 12)

// logistic is location + scale·(log(u) − log(1−u)).
func logistic(x []float64, words []uint64, scalars []float64) {
	location, scale := scalars[0], scalars[1]
	for i, w := range words {
		x[i] = location + float64(scale*(elementary.LogUnit(w)-elementary.LogUnit(^w)))
	}
}

var _ = inverse("logistic", logistic, 14)

// cauchy is location + scale·tan(2πu).
func cauchy(x []float64, words []uint64, scalars []float64) {
	location, scale := scalars[0], scalars[1]
	for i, w := range words {
		sine, cosine := elementary.SineCosine(w)
		x[i] = location + float64(scale*(sine/cosine))
	}
}

var _ = inverse("cauchy", cauchy, 10)

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

package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// complexQuotients computes count quotients of complex numbers, a positive multiple of quotientVector, from x and y to dst, which may be
// one of them. It stops before the first vector with one that needs scaling or is not finite, and returns the number before it.
type complexQuotients[T dtype.Float] func(dst, x, y *[2]T, count int) (done int)

// quotientVector is a multiple of the elements that the assembly takes at a time.
const quotientVector = 4

// The assembly for AVX2 and AVX-512, nil where there is none; nothing changes once the package is initialised.
var (
	complexQuotients64  [2]complexQuotients[float32]
	complexQuotients128 [2]complexQuotients[float64]
)

func divComplex[T dtype.Float](dst, x, y [][2]T) {
	dst, y = dst[:len(x)], y[:len(x)]
	i := 0
	if features.Best != features.Portable {
		compute, ok := any(complexQuotients64[features.Best-features.AVX2]).(complexQuotients[T])
		if !ok {
			compute, _ = any(complexQuotients128[features.Best-features.AVX2]).(complexQuotients[T])
		}
		for whole := len(x) &^ (quotientVector - 1); compute != nil && i < whole; {
			i += compute(&dst[i], &x[i], &y[i], whole-i)
			for end := min(i+quotientVector, whole); i < end; i++ {
				dst[i] = quotient2(x[i], y[i])
			}
		}
	}
	for ; i < len(x); i++ {
		dst[i] = quotient2(x[i], y[i])
	}
}

func reciprocalComplex[T dtype.Float](dst, x [][2]T) {
	if len(x) < quotientVector {
		for i, v := range x {
			dst[i] = quotient2([2]T{1, 0}, v)
		}
		return
	}
	lines := partLinesPool.Get().(*partLines)
	defer partLinesPool.Put(lines)
	ones := slice[[2]T](unsafe.Pointer(&lines.pairs), min(len(x), lineOfParts))
	for i := range ones {
		ones[i] = [2]T{1, 0}
	}
	for len(x) > 0 {
		part := min(len(x), lineOfParts)
		divComplex(dst[:part], ones[:part], x[:part])
		dst, x = dst[part:], x[part:]
	}
}

// quotient2 computes the parts as sums of two products over one, without a loss where they cancel (see sumOfProducts). Numbers
// out of the range where that can neither overflow nor lose digits are scaled: then a part far below the other may be lost.
// Infinities and zeros are as in annex G.
func quotient2[T dtype.Float](v, w [2]T) [2]T {
	a, b, c, d := float64(v[0]), float64(v[1]), float64(w[0]), float64(w[1])
	if dtype.Of[T]() == dtype.Float32 { // whose products are exact in float64
		square := float64(c*c) + float64(d*d)
		re, im := (float64(a*c)+float64(b*d))/square, (float64(b*c)-float64(a*d))/square
		if isFinite64(re + im) {
			return [2]T{T(re), T(im)}
		}
	}
	if !moderate(max(math.Abs(a), math.Abs(b))) || !moderate(max(math.Abs(c), math.Abs(d))) {
		re, im := quotientOfAny(a, b, c, d)
		return [2]T{T(re), T(im)}
	}
	square := math.FMA(c, c, float64(d*d))
	return [2]T{T(sumOfProducts(a, c, b, d) / square), T(sumOfProducts(b, c, -a, d) / square)}
}

// moderate tells whether products and quotients of such numbers are far from overflow and underflow.
func moderate(x float64) bool { return x > 0x1p-400 && x < 0x1p400 }

// sumOfProducts is a·b + c·d, off by less than 1.5 units in the last place (Jeannerod, Louvet and Muller, "Further analysis of
// Kahan's algorithm for the accurate computation of 2×2 determinants", Mathematics of Computation 82, 2013).
func sumOfProducts(a, b, c, d float64) float64 {
	product := float64(c * d)
	return math.FMA(a, b, product) + math.FMA(c, d, -product)
}

func quotientOfAny(a, b, c, d float64) (re, im float64) {
	finite := isFinite64(a) && isFinite64(b)
	switch {
	case c == 0 && d == 0:
		big := math.Copysign(infinity, c)
		return big * a, big * b
	case !isFinite64(c) || !isFinite64(d):
		if !finite || !math.IsInf(c, 0) && !math.IsInf(d, 0) {
			return noNumber, noNumber
		}
		c, d = infinite(c), infinite(d)
		return 0 * sumOfProducts(a, c, b, d), 0 * sumOfProducts(b, c, -a, d)
	case math.IsInf(a, 0) || math.IsInf(b, 0):
		a, b = infinite(a), infinite(b)
		return infinity * sumOfProducts(a, c, b, d), infinity * sumOfProducts(b, c, -a, d)
	case !finite:
		return noNumber, noNumber
	}
	_, above := math.Frexp(max(math.Abs(a), math.Abs(b)))
	_, below := math.Frexp(max(math.Abs(c), math.Abs(d)))
	a, b = math.Ldexp(a, -above), math.Ldexp(b, -above)
	c, d = math.Ldexp(c, -below), math.Ldexp(d, -below)
	square := math.FMA(c, c, float64(d*d))
	return math.Ldexp(sumOfProducts(a, c, b, d)/square, above-below), math.Ldexp(sumOfProducts(b, c, -a, d)/square, above-below)
}

// infinite is 1 for infinities and 0 for other numbers, with their sign.
func infinite(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.Copysign(1, x)
	}
	return math.Copysign(0, x)
}

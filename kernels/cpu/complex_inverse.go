package cpu

import (
	"math"

	"github.com/weft-nd/weft/kernels/cpu/calculus"
)

// The square root, and the inverse functions by Kahan's formulas, in which nothing cancels: "Branch cuts for complex elementary
// functions", in Iserles and Powell (editors), "The state of the art in numerical analysis", 1987.

func sqrtComplex(x, y float64) (re, im float64) {
	switch most := max(math.Abs(x), math.Abs(y)); {
	case math.IsInf(y, 0):
		return infinity, y
	case x == 0 && y == 0:
		return 0, y
	case x != x:
		return x, x
	case math.IsInf(x, 1):
		return x, math.Copysign(y-y, y)
	case math.IsInf(x, -1):
		return math.Abs(y - y), math.Copysign(infinity, y)
	case most > 0x1p1000:
		re, im = sqrtComplex(x*0x1p-4, y*0x1p-4)
		return re * 4, im * 4
	case most < 0x1p-900:
		re, im = sqrtComplex(x*0x1p120, y*0x1p120)
		return re * 0x1p-60, im * 0x1p-60
	}
	root := math.Sqrt((math.Abs(x) + calculus.HypotFloat64(x, y)) / 2)
	if x >= 0 {
		return root, y / (2 * root)
	}
	return math.Abs(y) / (2 * root), math.Copysign(root, y)
}

// vast is from where on asin and acos are logarithms of 2z: what is left out is less than the last place.
const vast = 0x1p60

func isVast(x, y float64) bool { return max(math.Abs(x), math.Abs(y)) > vast }

func acosComplex(x, y float64) (re, im float64) {
	switch {
	case x != x && math.IsInf(y, 0):
		return noNumber, -y
	case y != y && math.IsInf(x, 0):
		return noNumber, infinity
	case y != y && x == 0:
		return math.Pi / 2, noNumber
	case x != x || y != y:
		return noNumber, noNumber
	case isVast(x, y):
		return calculus.Atan2Float64(math.Abs(y), x), math.Copysign(logMagnitude(x, y)+math.Ln2, -y)
	}
	lessRe, lessIm := sqrtComplex(1-x, -y)
	moreRe, moreIm := sqrtComplex(1+x, y)
	return 2 * calculus.Atan2Float64(lessRe, moreRe), calculus.AsinhFloat64(float64(moreRe*lessIm) - float64(moreIm*lessRe))
}

// acoshComplex is i·acos or −i·acos, whichever has a real part that is not negative.
func acoshComplex(x, y float64) (re, im float64) {
	re, im = acosComplex(x, y)
	return math.Abs(im), math.Copysign(re, y)
}

func asinhComplex(x, y float64) (re, im float64) {
	switch {
	case x != x && y == 0:
		return x, y
	case x != x && math.IsInf(y, 0):
		return infinity, noNumber
	case y != y && math.IsInf(x, 0):
		return x, noNumber
	case x != x || y != y:
		return noNumber, noNumber
	case isVast(x, y):
		return math.Copysign(logMagnitude(x, y)+math.Ln2, x), calculus.Atan2Float64(y, math.Abs(x))
	}
	lessRe, lessIm := sqrtComplex(1-y, x)
	moreRe, moreIm := sqrtComplex(1+y, -x)
	return calculus.AsinhFloat64(float64(moreRe*lessIm) - float64(lessRe*moreIm)), calculus.Atan2Float64(y, float64(moreRe*lessRe)-float64(moreIm*lessIm))
}

func atanhComplex(x, y float64) (re, im float64) {
	if x < 0 || x == 0 && math.Signbit(x) {
		re, im = atanhComplex(-x, -y)
		return -re, -im
	}
	switch above := math.Abs(y); {
	case x != x && math.IsInf(y, 0), math.IsInf(x, 0) && y == y:
		return 0, math.Copysign(math.Pi/2, y)
	case y != y && (x == 0 || math.IsInf(x, 0)):
		return 0, noNumber
	case x != x || y != y:
		return noNumber, noNumber
	case isVast(x, y):
		h := calculus.HypotFloat64(x/2, y/2)
		return x / 4 / h / h, math.Copysign(math.Pi/2, y)
	case x == 1 && above < 0x1p-500:
		if y == 0 {
			return infinity, y
		}
		return (math.Ln2 - calculus.LogFloat64(above)) / 2, math.Copysign(calculus.Atan2Float64(2, -above)/2, y)
	default:
		square := float64((1-x)*(1-x)) + float64(above*above)
		return calculus.Log1pFloat64(4*x/square) / 4, calculus.Atan2Float64(2*y, float64((1-x)*(1+x))-float64(above*above)) / 2
	}
}

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

func sqrtLine(x, y []float64, room *lineRoom, strays []int) []int {
	y = y[:len(x)]
	for i, v := range x {
		a, b := math.Abs(v), math.Abs(y[i])
		if !(a <= 0x1p1000 && b <= 0x1p1000 && (a >= 0x1p-900 || b >= 0x1p-900)) {
			strays = append(strays, i)
		}
	}
	rootsAlong(x, y, &room[0])
	return strays
}

// rootsAlong sets x and y to the parts of square roots, where sqrtComplex need not scale.
func rootsAlong(x, y []float64, room *[lineOfParts]float64) {
	roots := room[:len(x)]
	calculus.Hypot.Float64(roots, x, y)
	for i, v := range x {
		roots[i] = (math.Abs(v) + roots[i]) / 2
	}
	calculus.Sqrt.Float64(roots, roots)
	y = y[:len(roots)]
	for i, v := range x {
		root := roots[i]
		other := y[i] / (2 * root)
		left := uint64(int64(math.Float64bits(v+0)) >> 63) // all bits if v < 0, which -0 is not
		re, im := math.Float64bits(math.Abs(other)), math.Float64bits(math.Copysign(root, y[i]))
		x[i] = math.Float64frombits(math.Float64bits(root)&^left | re&left)
		y[i] = math.Float64frombits(math.Float64bits(other)&^left | im&left)
	}
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

// rootsBesideOne sets less to the roots of 1 − z, and more, which may be x and y, to those of 1 + z. It appends to
// strays the numbers that acos takes another way, or of which one of these is so small that its root is scaled.
func rootsBesideOne(x, y, lessRe, lessIm, moreRe, moreIm []float64, room *[lineOfParts]float64, strays []int) []int {
	y, lessRe, lessIm, moreRe, moreIm = y[:len(x)], lessRe[:len(x)], lessIm[:len(x)], moreRe[:len(x)], moreIm[:len(x)]
	for i, v := range x {
		above := math.Abs(y[i])
		if !(math.Abs(v) <= vast && above <= vast) || math.Abs(v) == 1 && above < 0x1p-900 {
			strays = append(strays, i)
		}
		lessRe[i], lessIm[i], moreRe[i], moreIm[i] = 1-v, -y[i], 1+v, y[i]
	}
	rootsAlong(lessRe, lessIm, room)
	rootsAlong(moreRe, moreIm, room)
	return strays
}

func acosLine(x, y []float64, room *lineRoom, strays []int) []int {
	lessRe, lessIm, _, _ := room.of(len(x))
	strays = rootsBesideOne(x, y, lessRe, lessIm, x, y, &room[3], strays)
	for i, more := range x {
		y[i] = float64(more*lessIm[i]) - float64(y[i]*lessRe[i])
	}
	calculus.Asinh.Float64(y, y)
	calculus.Atan2.Float64(x, lessRe, x)
	for i := range x {
		x[i] *= 2
	}
	return strays
}

// acoshComplex is i·acos or −i·acos, whichever has a real part that is not negative.
func acoshComplex(x, y float64) (re, im float64) {
	re, im = acosComplex(x, y)
	return math.Abs(im), math.Copysign(re, y)
}

func acoshLine(x, y []float64, room *lineRoom, strays []int) []int {
	_, _, side, _ := room.of(len(x))
	copy(side, y)
	strays = acosLine(x, y, room, strays)
	for i, re := range x {
		x[i], y[i] = math.Abs(y[i]), math.Copysign(re, side[i])
	}
	return strays
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

func asinhLine(x, y []float64, room *lineRoom, strays []int) []int {
	lessRe, lessIm, moreRe, _ := room.of(len(x))
	for i, v := range x {
		x[i] = -v
	}
	strays = rootsBesideOne(y, x, lessRe, lessIm, moreRe, x, &room[3], strays)
	for i, moreIm := range x {
		re, im := lessRe[i], lessIm[i]
		x[i] = float64(moreRe[i]*im) - float64(re*moreIm)
		moreRe[i] = float64(moreRe[i]*re) - float64(moreIm*im)
	}
	calculus.Asinh.Float64(x, x)
	calculus.Atan2.Float64(y, y, moreRe)
	return strays
}

var asinLine = reversedLine(asinhLine)

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

func atanhLine(x, y []float64, room *lineRoom, strays []int) []int {
	ratio, square, beside, _ := room.of(len(x))
	y = y[:len(x)]
	for i, v := range x {
		right, above := math.Abs(v), math.Abs(y[i])
		if !(right <= vast && above <= vast) || right == 1 && above < 0x1p-500 {
			strays = append(strays, i)
		}
		ratio[i], square[i] = 4*right, float64((1-right)*(1-right))+float64(above*above)
		beside[i], y[i] = float64((1-right)*(1+right))-float64(above*above), signedAlike(2*y[i], v)
	}
	divideAlong(ratio, square)
	calculus.Log1p.Float64(ratio, ratio)
	calculus.Atan2.Float64(y, y, beside)
	for i, v := range x {
		x[i], y[i] = signedAlike(ratio[i]/4, v), signedAlike(y[i]/2, v)
	}
	return strays
}

// signedAlike is x for a positive y, and −x for a negative one, as -0 is.
func signedAlike(x, y float64) float64 {
	return math.Float64frombits(math.Float64bits(x) ^ math.Float64bits(y)&(1<<63))
}

var atanLine = reversedLine(atanhLine)

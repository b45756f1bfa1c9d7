package cpu

import (
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
)

// logMagnitude is log |z|, right to the last places also where that is near zero.
func logMagnitude(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	if x < y {
		x, y = y, x
	}
	switch {
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return infinity
	case y == 0 || x != x || y != y:
		return calculus.LogFloat64(x + y)
	case x > 0x1p500:
		return logMagnitude(x*0x1p-600, y*0x1p-600) + 600*math.Ln2
	case x < 0x1p-400:
		return logMagnitude(x*0x1p600, y*0x1p600) - 600*math.Ln2
	}
	if square := math.FMA(x, x, float64(y*y)); square < 0.5 || square > 3 {
		return calculus.LogFloat64(square) / 2
	}
	return calculus.Log1pFloat64(squaresBeside(-1, x, y)) / 2
}

// squaresBeside is c + x² + y², as if in twice the precision.
func squaresBeside(c, x, y float64) float64 {
	xx, yy := float64(x*x), float64(y*y)
	sum, off := twoSum(c, xx)
	sum, more := twoSum(sum, yy)
	return sum + (off + more + math.FMA(x, x, -xx) + math.FMA(y, y, -yy))
}

// twoSum returns a + b and its error, exactly (Knuth, "The art of computer programming", volume 2, 4.2.2, theorem B).
func twoSum(a, b float64) (sum, off float64) {
	sum = a + b
	part := sum - a
	return sum, (a - (sum - part)) + (b - part)
}

func logComplex(x, y float64) (re, im float64) {
	return logMagnitude(x, y), calculus.Atan2Float64(y, x)
}

// logOfBase is the logarithm to the base that of which is 1/factor; of has it for real numbers.
func logOfBase(factor float64, of func(float64) float64) complexFunction {
	return func(x, y float64) (re, im float64) {
		im = factor * calculus.Atan2Float64(y, x)
		if y == 0 {
			return of(math.Abs(x)), im
		}
		return factor * logMagnitude(x, y), im
	}
}

var (
	log2Complex  complexFunction = logOfBase(1/math.Ln2, calculus.Log2Float64)
	log10Complex complexFunction = logOfBase(1/math.Ln10, calculus.Log10Float64)
)

func logLine(x, y []float64, room *lineRoom, strays []int) []int {
	squares, beside, _, _ := room.of(len(x))
	y = y[:len(x)]
	for i, v := range x {
		larger, smaller := bySize(v, y[i])
		if !isSquarable(larger, smaller) {
			strays = append(strays, i)
		}
		squares[i], beside[i] = math.FMA(larger, larger, float64(smaller*smaller)), squaresBeside(-1, larger, smaller)
	}
	calculus.Atan2.Float64(y, y, x)
	logOfSquares(x, squares, beside)
	return strays
}

// bySize returns the larger one of the magnitudes of x and y, and the smaller one.
func bySize(x, y float64) (larger, smaller float64) {
	larger, smaller = math.Abs(x), math.Abs(y)
	if larger < smaller {
		return smaller, larger
	}
	return larger, smaller
}

// isSquarable tells whether logMagnitude computes the logarithm by squares of parts of such sizes.
func isSquarable(larger, smaller float64) bool {
	return larger <= 0x1p500 && larger >= 0x1p-400 && smaller != 0
}

// logOfSquares sets x to halves of the logarithms of squares, or of those of one more than what is beside, where squares are near one.
func logOfSquares(x, squares, beside []float64) {
	calculus.Log1p.Float64(beside, beside)
	calculus.Log.Float64(x, squares)
	x, beside = x[:len(squares)], beside[:len(squares)]
	for i, square := range squares {
		if !(square < 0.5 || square > 3) {
			x[i] = beside[i]
		}
		x[i] /= 2
	}
}

// lineOfBase is the line of logOfBase.
func lineOfBase(factor float64) complexLine {
	return func(x, y []float64, room *lineRoom, strays []int) []int {
		strays = logLine(x, y, room, strays)
		for i := range x {
			x[i], y[i] = factor*x[i], factor*y[i]
		}
		return strays
	}
}

var log2Line, log10Line = lineOfBase(1 / math.Ln2), lineOfBase(1 / math.Ln10)

// log1pComplex uses |1 + z|² − 1 = 2x + x² + y².
func log1pComplex(x, y float64) (re, im float64) {
	im = calculus.Atan2Float64(y, 1+x)
	if y == 0 && x >= -1 {
		return calculus.Log1pFloat64(x), im
	}
	if over := squaresBeside(2*x, x, y); over > -0.5 && over < 2 {
		return calculus.Log1pFloat64(over) / 2, im
	}
	return logMagnitude(1+x, y), im
}

func log1pLine(x, y []float64, room *lineRoom, strays []int) []int {
	squares, beside, more, _ := room.of(len(x))
	y = y[:len(x)]
	for i, v := range x {
		more[i] = 1 + v
		larger, smaller := bySize(more[i], y[i])
		if !isSquarable(larger, smaller) {
			strays = append(strays, i)
		}
		if over := squaresBeside(2*v, v, y[i]); over > -0.5 && over < 2 {
			squares[i], beside[i] = 1, over
			continue
		}
		squares[i], beside[i] = math.FMA(larger, larger, float64(smaller*smaller)), squaresBeside(-1, larger, smaller)
	}
	calculus.Atan2.Float64(y, y, more)
	logOfSquares(x, squares, beside)
	return strays
}

func powersOf[T dtype.Float](dst, x, y [][2]T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		power := powComplex([2]float64{float64(v[0]), float64(v[1])}, [2]float64{float64(y[i][0]), float64(y[i][1])})
		dst[i] = [2]T{T(power[0]), T(power[1])}
	}
}

// powComplex is exp(b·log a), a product for small whole b.
func powComplex(a, b [2]float64) [2]float64 {
	switch n := b[0]; {
	case b == [2]float64{}:
		return [2]float64{1, 0}
	case a == [2]float64{}:
		if n > 0 {
			return [2]float64{}
		}
		return [2]float64{noNumber, noNumber}
	case b[1] == 0 && n == math.Trunc(n) && math.Abs(n) <= 32:
		result := powerOf(a, int(math.Abs(n)))
		if n < 0 {
			return quotient2([2]float64{1, 0}, result)
		}
		return result
	}
	l, angle := logMagnitude(a[0], a[1]), calculus.Atan2Float64(a[1], a[0])
	re, im := expComplex(sumOfProducts(b[0], l, -b[1], angle), sumOfProducts(b[1], l, b[0], angle))
	return [2]float64{re, im}
}

// powerOf squares and multiplies.
func powerOf(a [2]float64, n int) [2]float64 {
	result := a
	for n--; n > 0; n >>= 1 {
		if n&1 == 1 {
			result = product2(result, a)
		}
		a = product2(a, a)
	}
	return result
}

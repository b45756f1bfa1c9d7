package cpu

import (
	"math"
	"sync"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
)

// complexLine computes a function of many complex numbers by functions of their parts, which have assembly: it replaces the parts x and y, with
// a and b as room for as many. It appends to strays the numbers of those that it does not compute as the function of one does, in every bit.
type complexLine func(x, y, a, b []float64, strays []int) []int

// lineOfParts is how many numbers are computed at a time: four lines of them are in the nearest cache.
const lineOfParts = 256

// partLines is the room of a complexLine.
type partLines struct {
	lines  [4][lineOfParts]float64
	strays [lineOfParts]int
}

var partLinesPool = sync.Pool{New: func() any { return new(partLines) }}

// abreast registers f, which is computed by line but for strays, for both types of complex numbers.
func (f complexFunction) abreast(operator string, line complexLine) struct{} {
	const many = intricate / 4
	return registerLoops(operator, complexUnary(mostAbreast[float32](f, line), many), complexUnary(mostAbreast[float64](f, line), many))
}

func mostAbreast[T dtype.Float](f complexFunction, line complexLine) func(dst, x [][2]T) {
	return func(dst, x [][2]T) {
		eachPartLine(x, func(first int, part [][2]T, re, im []float64, room *partLines) {
			for _, i := range line(re, im, room.lines[2][:len(part)], room.lines[3][:len(part)], room.strays[:0]) {
				re[i], im[i] = f(float64(part[i][0]), float64(part[i][1]))
			}
			to := dst[first:][:len(part)]
			for i := range to {
				to[i] = [2]T{T(re[i]), T(im[i])}
			}
		})
	}
}

// eachPartLine calls body for one part of x after the other, from the first number on, with the parts of its numbers.
func eachPartLine[T dtype.Float](x [][2]T, body func(first int, part [][2]T, re, im []float64, room *partLines)) {
	room := partLinesPool.Get().(*partLines)
	defer partLinesPool.Put(room)
	for first := 0; first < len(x); first += lineOfParts {
		part := x[first:min(first+lineOfParts, len(x))]
		re, im := room.lines[0][:len(part)], room.lines[1][:len(part)]
		for i, v := range part {
			re[i], im[i] = float64(v[0]), float64(v[1])
		}
		body(first, part, re, im, room)
	}
}

// beyond appends to strays where x is larger than most, or y not finite.
func beyond(most float64, x, y []float64, strays []int) []int {
	y = y[:len(x)]
	for i, v := range x {
		if !(math.Abs(v) <= most && isFinite64(y[i])) {
			strays = append(strays, i)
		}
	}
	return strays
}

func signLine(x, y, sizes, _ []float64, strays []int) []int {
	calculus.Hypot.Float64(sizes, x, y)
	x, y = x[:len(sizes)], y[:len(sizes)]
	for i, size := range sizes {
		if !moderate(size) {
			strays = append(strays, i)
		}
		x[i], y[i] = x[i]/size, y[i]/size
	}
	return strays
}

func expLine(x, y, cos, sin []float64, strays []int) []int {
	strays = beyond(700, x, y, strays)
	calculus.Exp.Float64(x, x)
	calculus.Cos.Float64(cos, y)
	calculus.Sin.Float64(sin, y)
	y, cos, sin = y[:len(x)], cos[:len(x)], sin[:len(x)]
	for i, e := range x {
		x[i], y[i] = e*cos[i], e*sin[i]
	}
	return strays
}

var sinhLine, coshLine = hyperbolicLine(calculus.Sinh, calculus.Cosh), hyperbolicLine(calculus.Cosh, calculus.Sinh)

// hyperbolicLine is the line of of(x)·cos y and derivative(x)·sin y.
func hyperbolicLine(of, derivative calculus.Unary) complexLine {
	return func(x, y, a, sin []float64, strays []int) []int {
		strays = beyond(large, x, y, strays)
		derivative.Float64(a, x)
		of.Float64(x, x)
		calculus.Sin.Float64(sin, y)
		calculus.Cos.Float64(y, y)
		y, a, sin = y[:len(x)], a[:len(x)], sin[:len(x)]
		for i, v := range x {
			x[i], y[i] = v*y[i], a[i]*sin[i]
		}
		return strays
	}
}

// sinLine is −i·sinh of i·z, by which parts change places twice.
func sinLine(x, y, cosh, sin []float64, strays []int) []int { return sinhLine(y, x, cosh, sin, strays) }

// cosLine is cosh of i·z.
func cosLine(x, y, sinh, sin []float64, strays []int) []int {
	for i, v := range x {
		x[i], y[i] = -y[i], v
	}
	return coshLine(x, y, sinh, sin, strays)
}

func logLine(x, y, squares, beside []float64, strays []int) []int {
	y, squares, beside = y[:len(x)], squares[:len(x)], beside[:len(x)]
	for i, v := range x {
		larger, smaller := math.Abs(v), math.Abs(y[i])
		if larger < smaller {
			larger, smaller = smaller, larger
		}
		if !(larger <= 0x1p500 && larger >= 0x1p-400) || smaller == 0 {
			strays = append(strays, i)
		}
		squares[i], beside[i] = math.FMA(larger, larger, float64(smaller*smaller)), squaresBeside(-1, larger, smaller)
	}
	calculus.Atan2.Float64(y, y, x)
	calculus.Log1p.Float64(beside, beside)
	calculus.Log.Float64(x, squares)
	for i, square := range squares {
		if !(square < 0.5 || square > 3) {
			x[i] = beside[i]
		}
		x[i] /= 2
	}
	return strays
}

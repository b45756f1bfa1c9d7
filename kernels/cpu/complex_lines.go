package cpu

import (
	"math"
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
)

// complexLine computes a function of many complex numbers by functions of their parts, which have assembly: it replaces
// the parts x and y, with room for as many numbers four times. It appends to strays the numbers of those that it does
// not compute as the function of one does, in every bit.
type complexLine func(x, y []float64, room *lineRoom, strays []int) []int

// lineOfParts is how many numbers are computed at a time: six lines of them are in the nearest cache.
const lineOfParts = 256

// lineRoom is what a complexLine needs beside parts.
type lineRoom [4][lineOfParts]float64

// of returns the room for count numbers.
func (room *lineRoom) of(count int) (a, b, c, d []float64) {
	return room[0][:count], room[1][:count], room[2][:count], room[3][:count]
}

// partLines are the parts of complex numbers, these in float64, and the room of a complexLine.
type partLines struct {
	re, im [lineOfParts]float64
	pairs  [lineOfParts][2]float64
	room   lineRoom
	strays [2 * lineOfParts]int
}

var partLinesPool = sync.Pool{New: func() any { return new(partLines) }}

// abreast registers f, which is computed by line but for strays, for both types of complex numbers.
func (f complexFunction) abreast(operator string, line complexLine) struct{} {
	const many = intricate / 4
	return registerLoops(operator, complexUnary(mostAbreast[float32](f, line), many), complexUnary(mostAbreast[float64](f, line), many))
}

// fewNumbers are computed one by one, and shortLine is the number of those from which on assembly moves parts.
const fewNumbers, shortLine = 4, 128

func mostAbreast[T dtype.Float](f complexFunction, line complexLine) func(dst, x [][2]T) {
	oneByOne := everyOne[T](f)
	return func(dst, x [][2]T) {
		if len(x) < fewNumbers {
			oneByOne(dst, x)
			return
		}
		eachPartLine(x, func(first int, part [][2]T, re, im []float64, lines *partLines) {
			for _, i := range line(re, im, &lines.room, lines.strays[:0]) {
				re[i], im[i] = f(float64(part[i][0]), float64(part[i][1]))
			}
			joinParts(dst[first:][:len(part)], re, im, lines)
		})
	}
}

// eachPartLine calls body for one part of x after the other, from the first number on, with the parts of its numbers.
func eachPartLine[T dtype.Float](x [][2]T, body func(first int, part [][2]T, re, im []float64, lines *partLines)) {
	lines := partLinesPool.Get().(*partLines)
	defer partLinesPool.Put(lines)
	for first := 0; first < len(x); first += lineOfParts {
		part := x[first:min(first+lineOfParts, len(x))]
		re, im := lines.re[:len(part)], lines.im[:len(part)]
		splitParts(part, re, im, lines)
		body(first, part, re, im, lines)
	}
}

var (
	widenedParts   = loopNamed(castName(dtype.Float32, dtype.Float64))
	narrowedParts  = loopNamed(castName(dtype.Float64, dtype.Float32))
	pairedParts    = loopNamed("complex/float64")
	quotientsAlong = loopNamed("div/float64")
)

// splitParts sets re and im to the parts of numbers, of which there are some.
func splitParts[T dtype.Float](x [][2]T, re, im []float64, lines *partLines) {
	if len(x) < shortLine {
		for i, v := range x {
			re[i], im[i] = float64(v[0]), float64(v[1])
		}
		return
	}
	from := unsafe.Pointer(&x[0])
	if dtype.Of[T]() == dtype.Float32 {
		widenedParts().runner().run(2*len(x), pointers{unsafe.Pointer(&lines.pairs), from}, 0)
		from = unsafe.Pointer(&lines.pairs)
	}
	const size = 8
	move(unsafe.Pointer(&re[0]), size, from, 2*size, len(x), size)
	move(unsafe.Pointer(&im[0]), size, unsafe.Add(from, size), 2*size, len(x), size)
}

// joinParts sets dst to the numbers with these parts.
func joinParts[T dtype.Float](dst [][2]T, re, im []float64, lines *partLines) {
	if len(dst) < shortLine {
		for i := range dst {
			dst[i] = [2]T{T(re[i]), T(im[i])}
		}
		return
	}
	to := unsafe.Pointer(&dst[0])
	if dtype.Of[T]() == dtype.Float32 {
		to = unsafe.Pointer(&lines.pairs)
	}
	pairedParts().runner().run(len(dst), pointers{to, unsafe.Pointer(&re[0]), unsafe.Pointer(&im[0])}, 0)
	if dtype.Of[T]() == dtype.Float32 {
		narrowedParts().runner().run(2*len(dst), pointers{unsafe.Pointer(&dst[0]), to}, 0)
	}
}

// divideAlong divides each of x, of which there are some, by that of y.
func divideAlong(x, y []float64) {
	quotientsAlong().runner().run(len(x), pointers{unsafe.Pointer(&x[0]), unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0])}, 0)
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

func expLine(x, y []float64, room *lineRoom, strays []int) []int {
	cos, sin, _, _ := room.of(len(x))
	strays = beyond(700, x, y, strays)
	calculus.Exp.Float64(x, x)
	calculus.Cos.Float64(cos, y)
	calculus.Sin.Float64(sin, y)
	y = y[:len(x)]
	for i, e := range x {
		x[i], y[i] = e*cos[i], e*sin[i]
	}
	return strays
}

var sinhLine, coshLine = hyperbolicLine(calculus.Sinh, calculus.Cosh), hyperbolicLine(calculus.Cosh, calculus.Sinh)

// hyperbolicLine is the line of of(x)·cos y and derivative(x)·sin y.
func hyperbolicLine(of, derivative calculus.Unary) complexLine {
	return func(x, y []float64, room *lineRoom, strays []int) []int {
		a, sin, _, _ := room.of(len(x))
		strays = beyond(large, x, y, strays)
		derivative.Float64(a, x)
		of.Float64(x, x)
		calculus.Sin.Float64(sin, y)
		calculus.Cos.Float64(y, y)
		y = y[:len(x)]
		for i, v := range x {
			x[i], y[i] = v*y[i], a[i]*sin[i]
		}
		return strays
	}
}

// reversedLine is the line of reversed: parts change places twice.
func reversedLine(line complexLine) complexLine {
	return func(x, y []float64, room *lineRoom, strays []int) []int { return line(y, x, room, strays) }
}

var sinLine = reversedLine(sinhLine)

// cosLine is cosh of i·z.
func cosLine(x, y []float64, room *lineRoom, strays []int) []int {
	for i, v := range x {
		x[i], y[i] = -y[i], v
	}
	return coshLine(x, y, room, strays)
}

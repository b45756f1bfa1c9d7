package cpu

import (
	"math"

	"github.com/weft-nd/weft/kernels/cpu/calculus"
)

// growth returns factor·exp(x)·(cos y, sin y), for finite y.
func growth(factor, x, y float64) (re, im float64) {
	const most, step = 2200, 700.0 // behind which there are only zeros and infinities, and exp may overflow where the result does not, or lose digits
	c, s := calculus.CosFloat64(y), calculus.SinFloat64(y)
	if math.Abs(x) > step && isFinite64(x) {
		x = min(max(x, -most), most)
		part := math.Copysign(step, x)
		e := calculus.ExpFloat64(part)
		c, s, factor = c*(factor*e), s*(factor*e), 1
		for x -= part; math.Abs(x) > step; x -= part {
			c, s = c*e, s*e
		}
	}
	e := factor * calculus.ExpFloat64(x)
	return e * c, e * s
}

// zeroLike is a zero with the sign of y, but for NaN, whose sign depends on the processor.
func zeroLike(y float64) float64 {
	if y != y {
		return 0
	}
	return math.Copysign(0, y)
}

func expComplex(x, y float64) (re, im float64) {
	switch {
	case y == 0:
		return calculus.ExpFloat64(x), y
	case isFinite64(y):
		return growth(1, x, y)
	case math.IsInf(x, -1):
		return 0, zeroLike(y)
	case math.IsInf(x, 1):
		return x, noNumber
	}
	return noNumber, noNumber
}

// expm1Complex uses exp(x)·cos y − 1 = (exp(x) − 1)·cos y − 2·sin²(y/2).
func expm1Complex(x, y float64) (re, im float64) {
	if y == 0 {
		return calculus.Expm1Float64(x), y
	}
	re, im = expComplex(x, y)
	if math.Abs(x) > 40 || !isFinite64(y) || x != x {
		return re - 1, im
	}
	s := calculus.SinFloat64(y / 2)
	return float64(calculus.Expm1Float64(x)*calculus.CosFloat64(y)) - float64(2*float64(s*s)), im
}

func expm1Line(x, y []float64, room *lineRoom, strays []int) []int {
	exp, cos, sin, half := room.of(len(x))
	strays = beyond(40, x, y, strays)
	for i, v := range y {
		if v == 0 {
			strays = append(strays, i)
		}
		half[i] = v / 2
	}
	calculus.Exp.Float64(exp, x)
	calculus.Expm1.Float64(x, x)
	calculus.Cos.Float64(cos, y)
	calculus.Sin.Float64(sin, y)
	calculus.Sin.Float64(half, half)
	y = y[:len(x)]
	for i, v := range x {
		x[i], y[i] = float64(v*cos[i])-float64(2*float64(half[i]*half[i])), exp[i]*sin[i]
	}
	return strays
}

// large is from where on sinh and cosh are exp/2 but for signs, and tanh is 1.
const large = 25

func sinhComplex(x, y float64) (re, im float64) {
	switch {
	case y == 0:
		return calculus.SinhFloat64(x), y
	case !isFinite64(y):
		if x == 0 || math.IsInf(x, 0) {
			return x, noNumber
		}
		return noNumber, noNumber
	case math.Abs(x) > large:
		re, im = growth(0.5, math.Abs(x), y)
		return math.Copysign(1, x) * re, im
	}
	return calculus.SinhFloat64(x) * calculus.CosFloat64(y), calculus.CoshFloat64(x) * calculus.SinFloat64(y)
}

func coshComplex(x, y float64) (re, im float64) {
	switch {
	case y == 0:
		if x != x { // whose sign depends on the processor
			return x, y
		}
		return calculus.CoshFloat64(x), math.Copysign(1, x) * y
	case !isFinite64(y):
		if math.IsInf(x, 0) {
			return infinity, noNumber
		} else if x == 0 {
			return noNumber, x
		}
		return noNumber, noNumber
	case math.Abs(x) > large:
		re, im = growth(0.5, math.Abs(x), y)
		return re, math.Copysign(1, x) * im
	}
	return calculus.CoshFloat64(x) * calculus.CosFloat64(y), calculus.SinhFloat64(x) * calculus.SinFloat64(y)
}

// cosComplex is cosh of i·z.
func cosComplex(x, y float64) (re, im float64) { return coshComplex(-y, x) }

// tanhComplex follows Kahan, "Branch cuts for complex elementary functions", in Iserles and Powell (editors), "The state of the
// art in numerical analysis", 1987.
func tanhComplex(x, y float64) (re, im float64) {
	switch {
	case math.IsInf(x, 0):
		if !isFinite64(y) {
			return math.Copysign(1, x), zeroLike(y)
		}
		return math.Copysign(1, x), math.Copysign(0, calculus.SinFloat64(2*y))
	case y == 0:
		return calculus.TanhFloat64(x), y
	case !isFinite64(y):
		if x == 0 {
			return x, noNumber
		}
		return noNumber, noNumber
	case math.Abs(x) > large:
		_, im = growth(4*calculus.CosFloat64(y), -2*math.Abs(x), y)
		return math.Copysign(1, x), im
	}
	t, s := calculus.TanFloat64(y), calculus.SinhFloat64(x)
	secant := 1 + float64(t*t)
	below := 1 + float64(secant*float64(s*s))
	return float64(secant*s) * math.Sqrt(1+float64(s*s)) / below, t / below
}

func tanhLine(x, y []float64, room *lineRoom, strays []int) []int {
	tan, sinh, below, _ := room.of(len(x))
	strays = beyond(large, x, y, strays)
	for i, v := range y {
		if v == 0 {
			strays = append(strays, i)
		}
	}
	calculus.Tan.Float64(tan, y)
	calculus.Sinh.Float64(sinh, x)
	x = x[:len(tan)]
	for i, t := range tan {
		s := sinh[i]
		secant, square := 1+float64(t*t), float64(s*s)
		below[i] = 1 + float64(secant*square)
		x[i] = float64(secant*s) * math.Sqrt(1+square)
	}
	divideAlong(x, below)
	divideAlong(tan, below)
	copy(y, tan)
	return strays
}

var tanLine = reversedLine(tanhLine)

package cpu

import "github.com/weft-nd/weft/dtype"

// Integers wrap round where they overflow, the least one divided by -1 included. Float16 and bfloat16 are computed in float32
// and rounded once, which for + − · / gives what exact arithmetic and one rounding would (Figueroa, "When is double rounding
// innocuous?", SIGNUM Newsletter 30(3), 1995). Bools are added like numbers that are 0 or not.

// reals registers the loops that all numbers have.
func reals[T dtype.Real]() struct{} {
	registerLoops("add", binaryLoop(add[T], light))
	registerLoops("sub", binaryLoop(sub[T], light))
	registerLoops("mul", binaryLoop(mul[T], light))
	registerLoops("maximum", binaryLoop(maximum[T], light))
	registerLoops("minimum", binaryLoop(minimum[T], light))
	registerLoops("neg", unaryLoop(neg[T], light))
	registerLoops("square", unaryLoop(square[T], light))
	registerLoops("abs", unaryLoop(abs[T], light))
	registerLoops("sign", unaryLoop(sign[T], light))
	return registerLoops("positive", unaryLoop(positive[T], light))
}

// quotients registers the loops that floats have beside those.
func quotients[T dtype.Float]() struct{} {
	registerLoops("div", binaryLoop(div[T], light))
	return registerLoops("reciprocal", unaryLoop(reciprocal[T], light))
}

var (
	_ = reals[int8]()
	_ = reals[int16]()
	_ = reals[int32]()
	_ = reals[int64]()
	_ = reals[uint8]()
	_ = reals[uint16]()
	_ = reals[uint32]()
	_ = reals[uint64]()
	_ = reals[float32]()
	_ = reals[float64]()
	_ = quotients[float32]()
	_ = quotients[float64]()

	_ = halves(2, "add", "sub", "mul", "div", "maximum", "minimum")
	_ = halves(1, "neg", "square", "abs", "sign", "positive", "reciprocal")

	_ = registerLoops("add", onBools(binaryLoop(bitwiseOr[uint8], light)))
	_ = registerLoops("mul", onBools(binaryLoop(bitwiseAnd[uint8], light)))
	_ = registerLoops("maximum", onBools(binaryLoop(bitwiseOr[uint8], light)))
	_ = registerLoops("minimum", onBools(binaryLoop(bitwiseAnd[uint8], light)))
	_ = registerLoops("square", onBools(unaryLoop(positive[uint8], light)))
	_ = registerLoops("abs", onBools(unaryLoop(positive[uint8], light)))

	_ = complexArithmetic[float32]()
	_ = complexArithmetic[float64]()
)

// complexArithmetic registers the loops of complex numbers with parts T. Sums are those of the parts.
func complexArithmetic[T dtype.Float]() struct{} {
	registerLoops("add", onParts[T]("add", 2))
	registerLoops("sub", onParts[T]("sub", 2))
	registerLoops("neg", onParts[T]("neg", 1))
	registerLoops("positive", onParts[T]("positive", 1))
	registerLoops("mul", complexBinary(mulComplex[T], 2*light))
	registerLoops("square", complexUnary(squareComplex[T], 2*light))
	registerLoops("abs", complexTo(magnitudes[T], dividing))
	registerLoops("sign", complexUnary(signs[T], 2*dividing))
	registerLoops("div", complexBinary(divComplex[T], 2*dividing))
	return registerLoops("reciprocal", complexUnary(reciprocalComplex[T], 2*dividing))
}

// onBools makes a loop on bytes that are 0 or 1 one on bools.
func onBools(i *inner) *inner {
	i.dtypes = dtype.Bool.String()
	return i
}

func neg[T dtype.Real](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = -v
	}
}

func square[T dtype.Real](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v * v
	}
}

// abs of the least integer is itself.
func abs[T dtype.Real](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		if v <= 0 {
			v = 0 - v // for negative zero, too
		}
		dst[i] = v
	}
}

// sign is -1, 0 or 1; NaN where the element is.
func sign[T dtype.Real](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		switch {
		case v > 0:
			v = 1
		case v < 0:
			v = 0 - T(1)
		case v == 0:
			v = 0
		}
		dst[i] = v
	}
}

func positive[T any](dst, x []T) { copy(dst[:len(x)], x) }

func reciprocal[T dtype.Float](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = 1 / v
	}
}

func add[T dtype.Real](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v + y[i]
	}
}

func sub[T dtype.Real](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v - y[i]
	}
}

func mul[T dtype.Real](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v * y[i]
	}
}

func div[T dtype.Float](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v / y[i]
	}
}

// maximum takes the larger of two elements; NaN where one of them is NaN.
func maximum[T dtype.Real](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = max(v, y[i])
	}
}

// minimum takes the lesser of two elements; NaN where one of them is NaN.
func minimum[T dtype.Real](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = min(v, y[i])
	}
}

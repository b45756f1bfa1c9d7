package cpu

import "github.com/weft-nd/weft/dtype"

func neg[T dtype.Real](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = -v
	}
}

var _ = register("neg", unary(neg[float32], light), unary(neg[float64], light), unary(neg[int64], light))

func square[T dtype.Real](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v * v
	}
}

var _ = register("square", unary(square[float32], light), unary(square[float64], light), unary(square[int64], light))

func add[T dtype.Real](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v + y[i]
	}
}

var _ = register("add", binary(add[float32], light), binary(add[float64], light), binary(add[int64], light))

func sub[T dtype.Real](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v - y[i]
	}
}

var _ = register("sub", binary(sub[float32], light), binary(sub[float64], light), binary(sub[int64], light))

func mul[T dtype.Real](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v * y[i]
	}
}

var _ = register("mul", binary(mul[float32], light), binary(mul[float64], light), binary(mul[int64], light))

func div[T dtype.Float](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v / y[i]
	}
}

var _ = register("div", binary(div[float32], light), binary(div[float64], light))

// maximum takes the larger of two elements; NaN where one of them is NaN.
func maximum[T dtype.Real](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = max(v, y[i])
	}
}

var _ = register("maximum", binary(maximum[float32], light), binary(maximum[float64], light), binary(maximum[int64], light))

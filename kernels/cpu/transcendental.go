package cpu

import (
	"math"

	"github.com/weft-nd/weft/dtype"
)

func exp[T dtype.Float](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = T(math.Exp(float64(v)))
	}
}

var _ = register("exp", unary(exp[float32], heavy), unary(exp[float64], heavy))

func log[T dtype.Float](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = T(math.Log(float64(v)))
	}
}

var _ = register("log", unary(log[float32], heavy), unary(log[float64], heavy))

func sqrt[T dtype.Float](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = T(math.Sqrt(float64(v)))
	}
}

var _ = register("sqrt", unary(sqrt[float32], light), unary(sqrt[float64], light))

func tanh[T dtype.Float](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = T(math.Tanh(float64(v)))
	}
}

var _ = register("tanh", unary(tanh[float32], heavy), unary(tanh[float64], heavy))

// erf is the error function.
func erf[T dtype.Float](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = T(math.Erf(float64(v)))
	}
}

var _ = register("erf", unary(erf[float32], heavy), unary(erf[float64], heavy))

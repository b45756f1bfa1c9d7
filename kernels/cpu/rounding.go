package cpu

import (
	"math"

	"github.com/weft-nd/weft/dtype"
)

// Rounding to an integer, of the same element type; half way, round goes to the even one. Integers stay what they are.
var (
	_ = roundings[float32]()
	_ = roundings[float64]()
	_ = halves(1, "floor", "ceil", "trunc", "round")
	_ = whole[int8]()
	_ = whole[int16]()
	_ = whole[int32]()
	_ = whole[int64]()
	_ = whole[uint8]()
	_ = whole[uint16]()
	_ = whole[uint32]()
	_ = whole[uint64]()
)

func roundings[T dtype.Float]() struct{} {
	return registerRoundings(rounded[T](math.Floor), rounded[T](math.Ceil), rounded[T](math.Trunc), rounded[T](math.RoundToEven))
}

func whole[T dtype.Integer]() struct{} {
	return registerRoundings(positive[T], positive[T], positive[T], positive[T])
}

func registerRoundings[T dtype.Real](floor, ceil, trunc, round func(dst, x []T)) struct{} {
	registerLoops("floor", unaryLoop(floor, light))
	registerLoops("ceil", unaryLoop(ceil, light))
	registerLoops("trunc", unaryLoop(trunc, light))
	return registerLoops("round", unaryLoop(round, light))
}

func rounded[T dtype.Float](round func(float64) float64) func(dst, x []T) {
	return func(dst, x []T) {
		dst = dst[:len(x)]
		for i, v := range x {
			dst[i] = T(round(float64(v)))
		}
	}
}

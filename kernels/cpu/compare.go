package cpu

import (
	"github.com/weft-nd/weft/dtype"
)

// comparisons registers the loops that tell about one or two numbers. NaN equals nothing, and is neither less nor greater.
func comparisons[T dtype.Real]() struct{} {
	registerLoops("greater", binaryLoop(greater[T], light))
	registerLoops("greater_equal", binaryLoop(greaterEqual[T], light))
	registerLoops("less", binaryLoop(less[T], light))
	registerLoops("less_equal", binaryLoop(lessEqual[T], light))
	registerLoops("equal", binaryLoop(equal[T], light))
	registerLoops("not_equal", binaryLoop(notEqual[T], light))
	registerLoops("isnan", unaryLoop(isNaN[T], light))
	registerLoops("isinf", unaryLoop(isInfinite[T], light))
	return registerLoops("isfinite", unaryLoop(isFinite[T], light))
}

var (
	_ = comparisons[int8]()
	_ = comparisons[int16]()
	_ = comparisons[int32]()
	_ = comparisons[int64]()
	_ = comparisons[uint8]()
	_ = comparisons[uint16]()
	_ = comparisons[uint32]()
	_ = comparisons[uint64]()
	_ = comparisons[float32]()
	_ = comparisons[float64]()

	_ = halves(2, "greater", "greater_equal", "less", "less_equal", "equal", "not_equal")
	_ = halves(1, "isnan", "isinf", "isfinite")

	_ = registerLoops("greater", onBools(binaryLoop(greater[uint8], light)))
	_ = registerLoops("greater_equal", onBools(binaryLoop(greaterEqual[uint8], light)))
	_ = registerLoops("less", onBools(binaryLoop(less[uint8], light)))
	_ = registerLoops("less_equal", onBools(binaryLoop(lessEqual[uint8], light)))
	_ = registerLoops("equal", onBools(binaryLoop(equal[uint8], light)))
	_ = registerLoops("not_equal", onBools(binaryLoop(notEqual[uint8], light)))
	_ = registerLoops("isnan", onBools(unaryLoop(isNaN[uint8], light)))
	_ = registerLoops("isinf", onBools(unaryLoop(isInfinite[uint8], light)))
	_ = registerLoops("isfinite", onBools(unaryLoop(isFinite[uint8], light)))

	_ = complexComparisons[float32]()
	_ = complexComparisons[float64]()
)

// complexComparisons registers the loops that tell about complex numbers with parts T, which have no order.
func complexComparisons[T dtype.Float]() struct{} {
	registerLoops("equal", complexPredicate(equalComplex[T]))
	registerLoops("not_equal", complexPredicate(notEqualComplex[T]))
	registerLoops("isnan", complexTo(isNaNComplex[T], light))
	registerLoops("isinf", complexTo(isInfiniteComplex[T], light))
	return registerLoops("isfinite", complexTo(isFiniteComplex[T], light))
}

func greater[T dtype.Real](dst []bool, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v > y[i]
	}
}

func greaterEqual[T dtype.Real](dst []bool, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v >= y[i]
	}
}

func less[T dtype.Real](dst []bool, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v < y[i]
	}
}

func lessEqual[T dtype.Real](dst []bool, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v <= y[i]
	}
}

func equal[T dtype.Real](dst []bool, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v == y[i]
	}
}

func notEqual[T dtype.Real](dst []bool, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v != y[i]
	}
}

func isNaN[T dtype.Real](dst []bool, x []T) {
	dst = dst[:len(x)]
	if !dtype.Of[T]().IsFloat() {
		clear(dst)
		return
	}
	for i, v := range x {
		dst[i] = v != v
	}
}

// isInfinite finds what is a number but whose difference from itself is none.
func isInfinite[T dtype.Real](dst []bool, x []T) {
	dst = dst[:len(x)]
	if !dtype.Of[T]().IsFloat() {
		clear(dst)
		return
	}
	for i, v := range x {
		dst[i] = v == v && v-v != 0
	}
}

func isFinite[T dtype.Real](dst []bool, x []T) {
	dst = dst[:len(x)]
	if !dtype.Of[T]().IsFloat() {
		repeat(dst, true)
		return
	}
	for i, v := range x {
		dst[i] = v-v == 0
	}
}

// Comparisons of int64 with uint64, which no type of numbers holds both.
var (
	_ = registerLoops("greater", pairLoop(func(a int64, b uint64) bool { return !belowUnsigned(a, b) && !equalsUnsigned(a, b) }),
		pairLoop(func(a uint64, b int64) bool { return belowUnsigned(b, a) }))
	_ = registerLoops("greater_equal", pairLoop(func(a int64, b uint64) bool { return !belowUnsigned(a, b) }),
		pairLoop(func(a uint64, b int64) bool { return belowUnsigned(b, a) || equalsUnsigned(b, a) }))
	_ = registerLoops("less", pairLoop(belowUnsigned), pairLoop(func(a uint64, b int64) bool { return !belowUnsigned(b, a) && !equalsUnsigned(b, a) }))
	_ = registerLoops("less_equal", pairLoop(func(a int64, b uint64) bool { return belowUnsigned(a, b) || equalsUnsigned(a, b) }),
		pairLoop(func(a uint64, b int64) bool { return !belowUnsigned(b, a) }))
	_ = registerLoops("equal", pairLoop(equalsUnsigned), pairLoop(func(a uint64, b int64) bool { return equalsUnsigned(b, a) }))
	_ = registerLoops("not_equal", pairLoop(func(a int64, b uint64) bool { return !equalsUnsigned(a, b) }),
		pairLoop(func(a uint64, b int64) bool { return !equalsUnsigned(b, a) }))
)

func belowUnsigned(a int64, b uint64) bool { return a < 0 || uint64(a) < b }

func equalsUnsigned(a int64, b uint64) bool { return a >= 0 && uint64(a) == b }

// pairLoop is the inner loop that tells about each pair of elements of two types.
func pairLoop[X, Y dtype.Integer](tell func(x X, y Y) bool) *inner {
	x, y := dtype.Of[X](), dtype.Of[Y]()
	return &inner{dtypes: x.String() + "/" + y.String(), nanoseconds: 2, sizes: []int{dtype.Bool.Size(), x.Size(), y.Size()}, plain: func(count int, p pointers) {
		dst, a, b := slice[bool](p[0], count), slice[X](p[1], count), slice[Y](p[2], count)
		for i := range dst {
			dst[i] = tell(a[i], b[i])
		}
	}}
}

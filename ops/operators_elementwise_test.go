package ops

import (
	"maps"
	"math"
	"math/big"

	"github.com/weft-nd/weft/dtype"
)

// The element types that operators of single elements are tried in. TestKernelsOfEveryAcceptedTypeAgree tries the others.
var (
	someNumbers  = []dtype.DType{dtype.Int8, dtype.Uint16, dtype.Int64, dtype.Float16, dtype.Float32, dtype.Float64}
	someDiscrete = []dtype.DType{dtype.Bool, dtype.Int8, dtype.Uint16, dtype.Int64}
)

// wrapping is pointwise for results that integers may not hold: they wrap round.
func wrapping(f func(x ...float64) float64) func([]array, any) []array {
	return func(in []array, params any) []array {
		results := pointwise(f)(in, params)
		return referenceCast([]array{{dtype.Invalid, results[0].shape, results[0].values, nil}}, CastParams{in[0].dtype})
	}
}

// telling is the reference of an operator that tells something about an element.
func telling(f func(x float64) bool) func([]array, any) []array {
	return func(in []array, _ any) []array {
		return []array{made(dtype.Bool, in[0].shape, func(index []int) float64 {
			if f(in[0].at(index...)) {
				return 1
			}
			return 0
		})}
	}
}

// arithmeticRow is the row of a binary operator of numbers.
func arithmeticRow(f func(x ...float64) float64, integer func(x ...int64) int64) row {
	return row{reference: wrapping(f), integer: integer, dtypes: someNumbers, bad: unbroadcastable}
}

func comparisonRow(f func(x, y float64) bool) row {
	return row{reference: predicate(f), ties: true, dtypes: append([]dtype.DType{dtype.Bool}, someNumbers...), bad: unbroadcastable}
}

// bitsRow is the row of an operator on bits.
func bitsRow(operation func(x, y int64) int64, bad []Sample) row {
	return row{
		reference: wrapping(func(x ...float64) float64 {
			if len(x) == 1 {
				x = append(x, 0)
			}
			return float64(operation(int64(x[0]), int64(x[1])))
		}),
		integer: func(x ...int64) int64 { return operation(x[0], x[len(x)-1]) }, dtypes: someDiscrete, bad: bad,
	}
}

func logicalRow(operation func(x, y bool) bool) row {
	return row{reference: predicate(func(x, y float64) bool { return operation(x != 0, y != 0) }), bad: unbroadcastable}
}

// roundingRow is the row of an operator that leaves integers alone.
func roundingRow(f func(float64) float64) row {
	return row{
		reference: pointwise(func(x ...float64) float64 { return f(x[0]) }), integer: func(x ...int64) int64 { return x[0] }, dtypes: someNumbers,
		flat: true,
	}
}

// pythonQuotient and pythonRemainder are those of Python's floats, Objects/floatobject.c.
func pythonQuotient(x ...float64) float64 {
	if x[1] == 0 {
		return x[0] / x[1]
	}
	rest := math.Mod(x[0], x[1])
	quotient := (x[0] - rest) / x[1]
	if rest != 0 && (x[1] < 0) != (rest < 0) {
		quotient--
	}
	if quotient == 0 {
		return math.Copysign(0, x[0]/x[1])
	}
	return math.Floor(quotient + 0.5)
}

func pythonRemainder(x ...float64) float64 {
	rest := math.Mod(x[0], x[1])
	switch {
	case x[1] == 0 || rest != rest:
		return math.NaN()
	case rest == 0:
		return math.Copysign(0, x[1])
	case (x[1] < 0) != (rest < 0):
		return rest + x[1]
	}
	return rest
}

// floored is the quotient of integers rounded toward -∞ and what is left over.
func floored(x ...int64) (quotient, rest int64) {
	if x[1] == 0 {
		return 0, 0
	}
	for quotient, rest = x[0]/x[1], x[0]%x[1]; rest != 0 && (rest < 0) != (x[1] < 0); {
		quotient, rest = quotient-1, rest+x[1]
	}
	return quotient, rest
}

func signOf(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	case x == 0:
		return 0
	}
	return x
}

// integerPower is that of arithmetic modulo 2⁶⁴.
func integerPower(x ...int64) int64 {
	base, exponent := x[0], x[1]
	switch {
	case base == 1 || base == -1:
		if exponent%2 == 0 {
			return 1
		}
		return base
	case exponent < 0:
		return 0
	}
	power := new(big.Int).Exp(big.NewInt(base), big.NewInt(exponent), new(big.Int).Lsh(big.NewInt(1), 64))
	return int64(power.Uint64())
}

// logAddExp takes the larger out of the sum.
func logAddExp(x ...float64) float64 {
	if x[0] == x[1] {
		return x[0] + math.Ln2
	}
	return max(x[0], x[1]) + math.Log1p(math.Exp(-math.Abs(x[0]-x[1])))
}

// largest are the largest finite numbers.
var largest = map[dtype.DType]float64{dtype.Float16: 65504, dtype.BFloat16: 0x1.fep127, dtype.Float32: math.MaxFloat32, dtype.Float64: math.MaxFloat64}

// referenceNextAfter looks for the next number of the element type.
func referenceNextAfter(in []array, _ any) []array {
	d := in[0].dtype
	return pointwise(func(x ...float64) float64 {
		switch {
		case x[0] == x[1] || x[1] != x[1]:
			return x[1]
		case x[0] != x[0]:
			return x[0]
		case math.IsInf(x[0], 0):
			return math.Copysign(largest[d], x[0])
		}
		for step := math.Nextafter(x[0], x[1]); ; step = x[0] + 2*(step-x[0]) {
			if next := rounded(d, step); next != x[0] {
				return next
			}
		}
	})(in, nil)
}

func init() {
	quotient := arithmeticRow(pythonQuotient, func(x ...int64) int64 { q, _ := floored(x...); return q })
	remainder := arithmeticRow(pythonRemainder, func(x ...int64) int64 { _, r := floored(x...); return r })
	quotient.flat = true
	quotient.low, quotient.high, remainder.low, remainder.high = 0.5, 3, 0.5, 3
	shifts := []dtype.DType{dtype.Int8, dtype.Uint16, dtype.Int64}
	left := bitsRow(func(x, y int64) int64 { return x << uint64(y) }, unbroadcastable)
	right := bitsRow(func(x, y int64) int64 { return x >> uint64(y) }, unbroadcastable)
	left.low, left.high, left.dtypes, right.low, right.high, right.dtypes = 1, 9, shifts, 1, 9, shifts
	invert := bitsRow(func(x, _ int64) int64 { return ^x }, nil)
	invert.dtypes = shifts
	maps.Copy(operators, map[string]row{
		"floor_divide": quotient, "remainder": remainder,
		"minimum": arithmeticRow(func(x ...float64) float64 { return min(x[0], x[1]) }, func(x ...int64) int64 { return min(x[0], x[1]) }),
		"positive": {
			reference: pointwise(func(x ...float64) float64 { return x[0] }), integer: func(x ...int64) int64 { return x[0] }, dtypes: someNumbers,
		},
		"abs": {
			reference: pointwise(func(x ...float64) float64 { return math.Abs(x[0]) }), integer: func(x ...int64) int64 { return max(x[0], -x[0]) },
			dtypes: append([]dtype.DType{dtype.Bool}, someNumbers...),
		},
		"sign": {
			reference: pointwise(func(x ...float64) float64 { return signOf(x[0]) }), integer: func(x ...int64) int64 { return int64(signOf(float64(x[0]))) },
			dtypes: someNumbers, flat: true,
		},
		"reciprocal": {reference: pointwise(func(x ...float64) float64 { return 1 / x[0] }), low: 0.5, high: 3},
		"floor":      roundingRow(math.Floor), "ceil": roundingRow(math.Ceil), "trunc": roundingRow(math.Trunc), "round": roundingRow(math.RoundToEven),

		"greater_equal": comparisonRow(func(x, y float64) bool { return x >= y }),
		"less":          comparisonRow(func(x, y float64) bool { return x < y }),
		"less_equal":    comparisonRow(func(x, y float64) bool { return x <= y }),
		"not_equal":     comparisonRow(func(x, y float64) bool { return x != y }),
		"isnan":         {reference: telling(math.IsNaN), dtypes: append([]dtype.DType{dtype.Bool}, someNumbers...)},
		"isinf":         {reference: telling(func(x float64) bool { return math.IsInf(x, 0) }), dtypes: append([]dtype.DType{dtype.Bool}, someNumbers...)},
		"isfinite":      {reference: telling(func(x float64) bool { return x-x == 0 }), dtypes: append([]dtype.DType{dtype.Bool}, someNumbers...)},

		"logical_and": logicalRow(func(x, y bool) bool { return x && y }),
		"logical_or":  logicalRow(func(x, y bool) bool { return x || y }),
		"logical_xor": logicalRow(func(x, y bool) bool { return x != y }),
		"logical_not": {reference: telling(func(x float64) bool { return x == 0 })},
		"bitwise_and": bitsRow(func(x, y int64) int64 { return x & y }, unbroadcastable),
		"bitwise_or":  bitsRow(func(x, y int64) int64 { return x | y }, unbroadcastable),
		"bitwise_xor": bitsRow(func(x, y int64) int64 { return x ^ y }, unbroadcastable),

		"bitwise_invert": invert, "bitwise_left_shift": left, "bitwise_right_shift": right,
	})
}

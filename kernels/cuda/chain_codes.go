package cuda

import (
	"slices"
	"strings"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// chainCodes are the codes of chain.cuh, in their order.
var chainCodes = strings.Fields(`
	move cast truth where copysign signbit
	neg square abs sign positive relu isnan isinf isfinite
	add sub mul maximum minimum greater greater_equal less less_equal equal not_equal
	clamp
	bitwise_invert
	bitwise_and bitwise_or bitwise_xor
	logical_not
	logical_and logical_or logical_xor
	reciprocal floor ceil trunc round sqrt
	div relu_gradient
	exp exp2 expm1 sinh cosh tanh sigmoid silu log log2 log10 log1p softplus asinh acosh atanh
	sin cos tan asin acos atan rsqrt cbrt erf gelu
	hypot atan2 logaddexp nextafter pow gelu_gradient`)

// chainCodeOf is the code of each name.
var chainCodeOf = func() map[string]uint8 {
	codes := map[string]uint8{}
	for i, name := range chainCodes {
		codes[name] = uint8(i)
	}
	return codes
}()

// onBools are the names of operators that are others on bools, and onIntegers on integers.
var (
	onBools = map[string]string{
		"add": "logical_or", "maximum": "logical_or", "bitwise_or": "logical_or", "mul": "logical_and", "minimum": "logical_and", "bitwise_and": "logical_and",
		"bitwise_xor": "logical_xor", "bitwise_invert": "logical_not", "square": "move", "abs": "move",
	}
	onIntegers = map[string]string{"floor": "move", "ceil": "move", "trunc": "move", "round": "move"}
)

// How results of float16 and bfloat16 are rounded; see chain.cuh.
const (
	roundHalf  = 1
	roundBrain = 2
)

// chainTypes are the element types of chains, and what they are computed in. Bools, which are 0 and 1, may be beside all.
var chainTypes = map[dtype.DType]dtype.DType{
	dtype.Bool: dtype.Bool, dtype.Float16: dtype.Float32, dtype.BFloat16: dtype.Float32, dtype.Float32: dtype.Float32, dtype.Float64: dtype.Float64,
	dtype.Int8: dtype.Int64, dtype.Int16: dtype.Int64, dtype.Int32: dtype.Int64, dtype.Int64: dtype.Int64,
	dtype.Uint8: dtype.Int64, dtype.Uint16: dtype.Int64, dtype.Uint32: dtype.Int64,
}

// mostChained is how many elements the arrays of a chain have at most: their numbers are those of 32 bits.
const mostChained = 1<<31 - 1

// chainable returns what k is in a chain, and the type that is computed in; ok is false if it cannot be in one.
func chainable(k *kernel, a *device.Arguments) (code, rounding uint8, computed dtype.DType, ok bool) {
	if len(a.Outputs) != 1 || len(a.Integers) > 0 || len(a.Scalars) > 0 {
		return 0, 0, 0, false
	}
	z := a.Outputs[0]
	computed = dtype.Bool
	for _, v := range append(slices.Clone(a.Inputs), z) {
		in, known := chainTypes[v.DType]
		if !known || in != dtype.Bool && computed != dtype.Bool && in != computed {
			return 0, 0, 0, false
		}
		if in != dtype.Bool {
			computed = in
		}
	}
	operator, _, _ := strings.Cut(k.name, "/")
	if len(a.Inputs) == 0 {
		return 0, 0, 0, false
	}
	first, last := a.Inputs[0].DType, a.Inputs[len(a.Inputs)-1].DType
	switch {
	case operator == "copy":
		operator = "move"
	case operator == "cast" && (first == dtype.Bool || z.DType == dtype.Bool):
		operator = "truth"
	case last == dtype.Bool && onBools[operator] != "":
		operator = onBools[operator]
	case last.IsInteger() && onIntegers[operator] != "":
		operator = onIntegers[operator]
	}
	code, ok = chainCodeOf[operator]
	isFunction := code >= chainCodeOf["exp"]
	if count := z.Count(); !ok || count == 0 || count > mostChained || isFunction && computed != dtype.Float32 || operator == "nextafter" && z.DType != computed {
		return 0, 0, 0, false
	}
	if code == chainCodeOf["cast"] || code >= chainCodeOf["neg"] {
		switch {
		case z.DType == dtype.Float16:
			rounding = roundHalf
		case z.DType == dtype.BFloat16:
			rounding = roundBrain
		case z.DType.IsInteger():
			rounding = uint8(z.DType)
		}
	}
	return code, rounding, computed, true
}

package cuda

import (
	"slices"
	"strings"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// chainCodes are the codes of chain.cuh, in their order: those of moves, of arithmetic, and of functions.
var chainCodes = strings.Fields(`
	move cast truth where copysign signbit
	neg square abs sign positive reciprocal floor ceil trunc round relu isnan isinf isfinite sqrt
	add sub mul div maximum minimum relu_gradient greater greater_equal less less_equal equal not_equal
	clamp
	logical_and logical_or logical_xor
	logical_not
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

// The first codes of those that compute, whose results are rounded, and of functions.
var firstComputing, firstFunction = chainCodeOf["neg"], chainCodeOf["exp"]

// onBools are the names of operators that are others on bools.
var onBools = map[string]string{
	"add": "logical_or", "maximum": "logical_or", "bitwise_or": "logical_or", "mul": "logical_and", "minimum": "logical_and", "bitwise_and": "logical_and",
	"bitwise_xor": "logical_xor", "bitwise_invert": "logical_not", "square": "move", "abs": "move", "copy": "move",
}

// How results are rounded; see chain.cuh.
const (
	roundNot = iota
	roundHalf
	roundBrain
)

// chainTypes are the element types of a chain that computes in float32 or float64. Bools, which are 0 and 1, may be in both.
var chainTypes = map[dtype.DType]dtype.DType{
	dtype.Bool: dtype.Bool, dtype.Float16: dtype.Float32, dtype.BFloat16: dtype.Float32, dtype.Float32: dtype.Float32, dtype.Float64: dtype.Float64,
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
	switch from := a.Inputs; {
	case len(from) == 0:
		return 0, 0, 0, false
	case operator == "cast" && (from[0].DType == dtype.Bool || z.DType == dtype.Bool):
		operator = "truth"
	case operator == "copy" || from[len(from)-1].DType == dtype.Bool && onBools[operator] != "":
		operator = onBools[operator]
	}
	code, ok = chainCodeOf[operator]
	if count := z.Count(); !ok || count == 0 || count > mostChained || operator == "nextafter" && z.DType != computed {
		return 0, 0, 0, false
	}
	if code >= firstFunction && computed == dtype.Float64 {
		return 0, 0, 0, false
	}
	if code == chainCodeOf["cast"] || code >= firstComputing {
		switch z.DType {
		case dtype.Float16:
			rounding = roundHalf
		case dtype.BFloat16:
			rounding = roundBrain
		}
	}
	return code, rounding, computed, true
}

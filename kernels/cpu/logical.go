package cpu

import "github.com/weft-nd/weft/dtype"

// bitLoops registers the loops on the bits of integers. A number is shifted by the other element as an unsigned one: by as many
// places as it has, or more, it becomes 0, or -1 if it is negative and shifted to the right.
func bitLoops[T dtype.Integer]() struct{} {
	registerLoops("bitwise_and", binaryLoop(bitwiseAnd[T], light))
	registerLoops("bitwise_or", binaryLoop(bitwiseOr[T], light))
	registerLoops("bitwise_xor", binaryLoop(bitwiseXor[T], light))
	registerLoops("bitwise_invert", unaryLoop(invert[T], light))
	registerLoops("bitwise_left_shift", binaryLoop(shiftLeft[T], light))
	return registerLoops("bitwise_right_shift", binaryLoop(shiftRight[T], light))
}

var (
	_ = bitLoops[int8]()
	_ = bitLoops[int16]()
	_ = bitLoops[int32]()
	_ = bitLoops[int64]()
	_ = bitLoops[uint8]()
	_ = bitLoops[uint16]()
	_ = bitLoops[uint32]()
	_ = bitLoops[uint64]()

	_ = registerLoops("bitwise_and", onBools(binaryLoop(bitwiseAnd[uint8], light)))
	_ = registerLoops("bitwise_or", onBools(binaryLoop(bitwiseOr[uint8], light)))
	_ = registerLoops("bitwise_xor", onBools(binaryLoop(bitwiseXor[uint8], light)))
	_ = registerLoops("bitwise_invert", onBools(unaryLoop(not, light)))
	_ = registerLoops("logical_and", onBools(binaryLoop(bitwiseAnd[uint8], light)))
	_ = registerLoops("logical_or", onBools(binaryLoop(bitwiseOr[uint8], light)))
	_ = registerLoops("logical_xor", onBools(binaryLoop(bitwiseXor[uint8], light)))
	_ = registerLoops("logical_not", onBools(unaryLoop(not, light)))
	_ = truthLoops(2, "logical_and", "logical_or", "logical_xor")
	_ = truthLoops(1, "logical_not")
)

// disjunction and conjunction find the loops on two bools that tell whether one of them, or both, are true.
var disjunction, conjunction = loopNamed("logical_or/bool"), loopNamed("logical_and/bool")

// truthLoops registers loops of other element types, of which what is not zero is true.
func truthLoops(operands int, operators ...string) struct{} {
	for _, d := range dtype.All() {
		for _, operator := range operators {
			if d != dtype.Bool {
				registerLoops(operator, castFirst(operator, d, dtype.Bool, operands))
			}
		}
	}
	return struct{}{}
}

func bitwiseAnd[T dtype.Integer](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v & y[i]
	}
}

func bitwiseOr[T dtype.Integer](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v | y[i]
	}
}

func bitwiseXor[T dtype.Integer](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v ^ y[i]
	}
}

func invert[T dtype.Integer](dst, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = ^v
	}
}

// not is that of bools: of bytes that are 0 or 1.
func not(dst, x []uint8) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v ^ 1
	}
}

func shiftLeft[T dtype.Integer](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v << uint64(y[i])
	}
}

func shiftRight[T dtype.Integer](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v >> uint64(y[i])
	}
}

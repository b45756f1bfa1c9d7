package ops

// Logic of bools, element by element; of other element types, what is not zero is true.
var (
	LogicalAnd = logical("logical_and", "whether both a and b are true", FormBinary, "a", "b")
	LogicalOr  = logical("logical_or", "whether a or b is true, or both", FormBinary, "a", "b")
	LogicalXor = logical("logical_xor", "whether one of a and b is true and the other is not", FormBinary, "a", "b")
	LogicalNot = logical("logical_not", "whether x is not true", FormUnary, "x")
)

// Operations on the bits of integers, negative ones in two's complement, and on bools.
var (
	BitwiseAnd    = binary("bitwise_and", "the bits that both a and b have", discrete, 0, nil)
	BitwiseOr     = binary("bitwise_or", "the bits that a or b has", discrete, 0, nil)
	BitwiseXor    = binary("bitwise_xor", "the bits that one of a and b has and the other has not", discrete, 0, nil)
	BitwiseInvert = unary("bitwise_invert", "the bits that x has not", discrete, 0, nil)

	BitwiseLeftShift  = binary("bitwise_left_shift", "a · 2ᵇ; 0 if b is negative, or as many bits as a has, or more", integral, 0, nil)
	BitwiseRightShift = binary("bitwise_right_shift",
		"a / 2ᵇ rounded toward −∞; 0, or −1 for negative a, if b is negative, or as many bits as a has, or more", integral, 0, nil)
)

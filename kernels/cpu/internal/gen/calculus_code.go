package main

import "math"

// code writes the steps of an element-wise function: as assembly for vectors (lanes), or as Go for one element (portable).
// Each function is described once, by calls of these methods, so that all its forms take the same steps and differ in no
// bit. Elements are float64 or float32; bit patterns are unsigned integers of the same size.
type code interface {
	number(value float64) value // a constant, rounded to the element type
	bits(bits uint64) value

	add(x, y value) value
	subtract(x, y value) value
	multiply(x, y value) value
	divide(x, y value) value
	squareRoot(x value) value
	// fused is x·y + z, and fusedNegative z − x·y, rounded once.
	fused(x, y, z value) value
	fusedNegative(x, y, z value) value
	// polynomial evaluates by Horner's rule, the coefficient of the highest power first, and inStep several polynomials, a
	// step of each in turn: they do not wait for each other.
	polynomial(x value, coefficients ...float64) value
	inStep(all ...polynomial) []value
	// lesser is x < y ? x : y, and greater x > y ? x : y, so NaN in y is returned.
	lesser(x, y value) value
	greater(x, y value) value
	// scale is y · 2^k for an integer k, rounded once.
	scale(y, k value) value
	// scaleDown is y · 2^⌊k⌋, rounded once, in single precision; bits is k with a number added whose last place is a sixteenth.
	scaleDown(y, k, bits value) value

	and(x, y value) value
	or(x, y value) value
	xor(x, y value) value
	// signed is y, which has the sign of x or none, with the sign of x.
	signed(y, x value) value
	addBits(x, y value) value
	shiftLeft(x value, by uint8) value
	shiftRight(x value, by uint8) value

	less(x, y value) mask
	notLess(x, y value) mask // holds for NaN
	equal(x, y value) mask
	lacks(x value, bits uint64) mask // x has none of the bits
	either(x, y mask) mask
	choose(m mask, yes, no value) value
	// unless leaves elements for which m holds: blocks to the loop behind them, all else to a Go function.
	unless(m mask)
	// inBlock tells whether this is a block, which leaves elements to the loop behind it.
	inBlock() bool
	// completes tells whether this is the loop behind blocks, which is to compute elements that are no rare exceptions,
	// rather than leave them to Go.
	completes() bool
	// leavesBeyond leaves elements that are not between ±limit to a block of the full steps, and reports true, if that
	// saves steps: in blocks by AVX2, which scale in steps, and in those of single precision.
	leavesBeyond(x value, limit float64) bool

	// split returns k and m with x = 2^k m for m from ¾ to 3/2. What is not positive and finite is left, or has k and m
	// whose logarithm is that of x.
	split(x value) (k, m value)
	// binade returns k and m with x = 2^k m for m from 1 to 2, for positive normal x. Blocks leave what is not positive
	// and finite, or have k or m for it that is infinite or NaN.
	binade(x value) (k, m value)
	// lookUp returns the entry of a table with the number in the lowest four bits of index, in single precision, and
	// lookUpAll those of several tables, in double.
	lookUp(t table, index value) value
	lookUpAll(index value, tables ...table) []value

	isDouble() bool
}

// table is a function of four bits, in single precision or double.
type table struct {
	name    string // in Go
	doc     string
	double  bool
	entries [16]float64
}

// polynomial has a coefficient of the highest power first.
type polynomial struct {
	x            value
	coefficients []float64
}

// eachStep calls start for the first coefficient of each polynomial and then step for the others, in an order by which all end together.
func eachStep(all []polynomial, start func(i int, coefficient float64), step func(i int, coefficient float64)) {
	longest := 0
	for _, p := range all {
		longest = max(longest, len(p.coefficients))
	}
	for rest := longest; rest > 0; rest-- {
		for i, p := range all {
			switch at := len(p.coefficients) - rest; {
			case at == 0:
				start(i, p.coefficients[0])
			case at > 0:
				step(i, p.coefficients[at])
			}
		}
	}
}

// value is a number or bit pattern, and mask a condition, of the code that made it.
type (
	value any
	mask  any
)

// layout is that of a floating-point format.
type layout struct {
	places  uint8 // of the significand
	sign    uint64
	one     uint64 // the bits of 1
	root    uint64 // the bits of about √½
	bias    float64
	magic   float64 // a number so large that its last place is 1
	minimum float64 // the least normal number
}

var (
	singleFormat = layout{23, 1 << 31, 0x3f800000, 0x3f3504f3, 127, 0x1.8p23, 0x1p-126}
	doubleFormat = layout{52, 1 << 63, 0x3ff0000000000000, 0x3fe6a09e667f3bcd, 1023, 0x1.8p52, 0x1p-1022}
)

func formatOf(c code) layout {
	if c.isDouble() {
		return doubleFormat
	}
	return singleFormat
}

func magnitude(c code, x value) value { return c.and(x, c.bits(formatOf(c).sign-1)) }

// signedInSteps is signed without an instruction for it.
func signedInSteps(c code, y, x value) value { return c.or(y, signOf(c, x)) }

func signOf(c code, x value) value { return c.and(x, c.bits(formatOf(c).sign)) }

// round returns x rounded to an integer, for |x| below 2^51 or 2^22, and bits whose lowest places are the integer.
func round(c code, x value) (integer, bits value) {
	magic := c.number(formatOf(c).magic)
	bits = c.add(x, magic)
	return c.subtract(bits, magic), bits
}

// roundProduct returns x times factor, which is not rounded before, rounded to an integer.
func roundProduct(c code, x value, factor float64) value {
	magic := c.number(formatOf(c).magic)
	return c.subtract(c.fused(x, c.number(factor), magic), magic)
}

// roundedPower returns x times factor, which is not rounded before, rounded to an integer k, and 2^k, a normal number.
func roundedPower(c code, x value, factor float64) (k, power value) {
	f := formatOf(c)
	magic := c.number(f.magic + f.bias)
	bits := c.fused(x, c.number(factor), magic)
	return c.subtract(bits, magic), c.shiftLeft(bits, f.places)
}

// powerOfTwo returns 2^k, a normal number, for an integer k.
func powerOfTwo(c code, k value) value {
	f := formatOf(c)
	return c.shiftLeft(c.add(k, c.number(f.magic+f.bias)), f.places)
}

// scaleInSteps is scale by multiplications, of which only the last rounds.
func scaleInSteps(c code, y, k value) value {
	half, _ := round(c, c.multiply(k, c.number(0.5)))
	return c.multiply(c.multiply(y, powerOfTwo(c, half)), powerOfTwo(c, c.subtract(k, half)))
}

// splitPositive is split by operations on bits.
func splitPositive(c code, x value) (k, m value) {
	const least = 0.75
	form, bits := formatOf(c), uint64(math.Float32bits(least))
	if c.isDouble() {
		bits = math.Float64bits(least)
	}
	given := x
	if !c.completes() {
		c.unless(c.either(c.notLess(c.number(0), x), c.notLess(x, c.number(math.Inf(1)))))
	}
	small := c.less(x, c.number(form.minimum))
	x = c.choose(small, c.multiply(x, c.number(math.Ldexp(1, int(form.places)))), x)
	shifted := c.addBits(x, c.bits(form.one-bits))
	power := math.Ldexp(1, int(form.places))
	k = c.subtract(c.or(c.shiftRight(shifted, form.places), c.number(power)), c.number(power+form.bias))
	k = c.subtract(k, c.choose(small, c.number(float64(form.places)), c.number(0)))
	if c.completes() {
		k = logarithmOfRest(c, given, k)
	}
	return k, c.addBits(c.and(shifted, c.bits(1<<form.places-1)), c.bits(bits))
}

// binadeInSteps is binade by operations on bits.
func binadeInSteps(c code, x value) (k, m value) {
	form := formatOf(c)
	power := math.Ldexp(1, int(form.places))
	k = c.subtract(c.or(c.shiftRight(x, form.places), c.number(power)), c.number(power+form.bias))
	return k, c.or(c.and(x, c.bits(1<<form.places-1)), c.bits(form.one))
}

// logarithmOfRest returns the logarithm of what is not positive and finite, and that of other elements as it is given.
func logarithmOfRest(c code, x, logarithm value) value {
	zero, infinite := c.number(0), math.Inf(1)
	result := c.choose(c.notLess(x, c.number(infinite)), x, logarithm)
	result = c.choose(c.equal(x, zero), c.number(-infinite), result)
	return c.choose(c.less(x, zero), c.number(math.NaN()), result)
}

// twoSum returns x + y and its error, for any x and y.
func twoSum(c code, x, y value) (sum, rest value) {
	sum = c.add(x, y)
	part := c.subtract(sum, x)
	return sum, c.add(c.subtract(x, c.subtract(sum, part)), c.subtract(y, part))
}

// fastTwoSum returns x + y and its error, for |x| ≥ |y| or x = 0.
func fastTwoSum(c code, x, y value) (sum, rest value) {
	sum = c.add(x, y)
	return sum, c.add(c.subtract(x, sum), y)
}

// twoProduct returns x · y and its error, in float64.
func twoProduct(c code, x, y value) (product, rest value) {
	product = c.multiply(x, y)
	negated := c.xor(product, c.bits(formatOf(c).sign))
	return product, c.fused(x, y, negated)
}

// oddAndEven are the polynomials of the square whose sum, the former times x, is that of x: half as many steps wait for each other.
func oddAndEven(square value, coefficients []float64) (odd, even polynomial) {
	odd.x, even.x = square, square
	for i, coefficient := range coefficients {
		half := &even
		if (len(coefficients)-1-i)%2 != 0 {
			half = &odd
		}
		half.coefficients = append(half.coefficients, coefficient)
	}
	return odd, even
}

// inHalves is a polynomial by its odd and even powers.
func inHalves(c code, x value, coefficients []float64) value {
	return inHalvesOf(c, x, c.multiply(x, x), coefficients)
}

// inHalvesOf is inHalves where the square of x is there.
func inHalvesOf(c code, x, square value, coefficients []float64) value {
	odd, even := oddAndEven(square, coefficients)
	sums := c.inStep(odd, even)
	return c.fused(x, sums[0], sums[1])
}

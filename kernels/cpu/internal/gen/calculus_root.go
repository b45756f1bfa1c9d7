package main

import "math"

// cubeRootStart is the cube root of m from 1 to 2 to some 22 bits.
var cubeRootStart = []float64{
	-0x1.6254d5208eb99p-9, 0x1.e346250683378p-6, -0x1.1d2e558db1d25p-3, 0x1.8026ac948a766p-2, -0x1.4f65258278179p-1, 0x1.e33114033c8b7p-1,
	0x1.cb68f94b94beap-2,
}

// cubeRootStartSingle is that to some 16 bits.
var cubeRootStartSingle = []float64{-0x1.4b077fcd0882bp-7, 0x1.544aaec5e4624p-4, -0x1.2d024eeecb9cbp-2, 0x1.6c697f83452edp-1, 0x1.04bc2bde493b9p-1}

func squareRoot(c code, x value) value { return c.squareRoot(x) }

func inverseRoot(c code, x value) value { return c.divide(c.number(1), c.squareRoot(x)) }

// cubeRoot has zero, infinities and NaN for roots of themselves.
func cubeRoot(c code, x value) value {
	a := magnitude(c, x)
	if !c.completes() {
		unlessNormal(c, a)
		return cubeRootOfNormal(c, x, a)
	}
	isOwn := c.either(c.equal(a, c.number(0)), c.notLess(a, c.number(math.Inf(1))))
	a = c.choose(isOwn, c.number(1), a)
	unlessNormal(c, a)
	return c.choose(isOwn, x, cubeRootOfNormal(c, x, a))
}

// cubeRootOfNormal is the root of a with the sign of x: a polynomial of the significand, one step of Newton's method,
// in double precision with the residue in full, and a power of two.
func cubeRootOfNormal(c code, x, a value) value {
	form := formatOf(c)
	power := math.Ldexp(1, int(form.places))
	exponent := c.subtract(c.or(c.shiftRight(a, form.places), c.number(power)), c.number(power+form.bias))
	m := c.or(c.and(a, c.bits(1<<form.places-1)), c.bits(form.one))
	third, _ := round(c, c.multiply(c.subtract(exponent, c.number(1)), c.number(1.0/3))) // rounded down
	rest := c.fusedNegative(third, c.number(3), exponent)
	scaled := c.multiply(m, powerOfTwo(c, rest))
	factor := c.choose(c.equal(rest, c.number(1)), c.number(0x1.428a2f98d728bp+0), c.choose(c.equal(rest, c.number(2)), c.number(0x1.965fea53d6e3dp+0), c.number(1)))
	if !c.isDouble() {
		r := c.multiply(c.polynomial(m, cubeRootStartSingle...), factor)
		square := c.multiply(r, r)
		r = c.add(r, c.divide(c.fusedNegative(square, r, scaled), c.multiply(square, c.number(3))))
		return c.or(c.multiply(r, powerOfTwo(c, third)), signOf(c, x))
	}
	r := c.multiply(c.polynomial(m, cubeRootStart...), factor)
	square, squareRest := twoProduct(c, r, r)
	residue := c.fusedNegative(r, squareRest, c.fusedNegative(r, square, scaled))
	step := c.divide(residue, c.multiply(square, c.number(3)))
	r = c.add(r, c.subtract(step, c.divide(c.multiply(step, step), r)))
	return c.or(c.multiply(r, powerOfTwo(c, third)), signOf(c, x))
}

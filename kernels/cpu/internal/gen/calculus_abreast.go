package main

// abreast is code for several vectors at once, each step for all of them: while the processor waits for a result of one, it works
// on the others.
type abreast struct {
	lanes
	count int
}

// several are a value or a mask of each vector; what is no several is the same for all.
type several []any

// at returns that of vector i.
func at[V any](v any, i int) V {
	if all, isSeveral := v.(several); isSeveral {
		v = all[i]
	}
	return v.(V)
}

// unary, binary and ternary take a step for each vector.

func unary[X, R any](a abreast, step func(x X) R, x any) several {
	results := several{}
	for i := range a.count {
		results = append(results, step(at[X](x, i)))
	}
	return results
}

func binary[X, Y, R any](a abreast, step func(x X, y Y) R, x, y any) several {
	results := several{}
	for i := range a.count {
		results = append(results, step(at[X](x, i), at[Y](y, i)))
	}
	return results
}

func ternary[X, Y, Z, R any](a abreast, step func(x X, y Y, z Z) R, x, y, z any) several {
	results := several{}
	for i := range a.count {
		results = append(results, step(at[X](x, i), at[Y](y, i), at[Z](z, i)))
	}
	return results
}

func (a abreast) add(x, y value) value      { return binary(a, a.lanes.add, x, y) }
func (a abreast) subtract(x, y value) value { return binary(a, a.lanes.subtract, x, y) }
func (a abreast) multiply(x, y value) value { return binary(a, a.lanes.multiply, x, y) }
func (a abreast) divide(x, y value) value   { return binary(a, a.lanes.divide, x, y) }
func (a abreast) squareRoot(x value) value  { return unary(a, a.lanes.squareRoot, x) }
func (a abreast) fused(x, y, z value) value { return ternary(a, a.lanes.fused, x, y, z) }
func (a abreast) fusedNegative(x, y, z value) value {
	return ternary(a, a.lanes.fusedNegative, x, y, z)
}
func (a abreast) lesser(x, y value) value            { return binary(a, a.lanes.lesser, x, y) }
func (a abreast) greater(x, y value) value           { return binary(a, a.lanes.greater, x, y) }
func (a abreast) scale(y, k value) value             { return binary(a, a.lanes.scale, y, k) }
func (a abreast) scaleDown(y, k, bits value) value   { return ternary(a, a.lanes.scaleDown, y, k, bits) }
func (a abreast) and(x, y value) value               { return binary(a, a.lanes.and, x, y) }
func (a abreast) or(x, y value) value                { return binary(a, a.lanes.or, x, y) }
func (a abreast) xor(x, y value) value               { return binary(a, a.lanes.xor, x, y) }
func (a abreast) signed(y, x value) value            { return binary(a, a.lanes.signed, y, x) }
func (a abreast) addBits(x, y value) value           { return binary(a, a.lanes.addBits, x, y) }
func (a abreast) shiftLeft(x value, by uint8) value  { return binary(a, a.lanes.shiftLeft, x, by) }
func (a abreast) shiftRight(x value, by uint8) value { return binary(a, a.lanes.shiftRight, x, by) }
func (a abreast) less(x, y value) mask               { return binary(a, a.lanes.less, x, y) }
func (a abreast) notLess(x, y value) mask            { return binary(a, a.lanes.notLess, x, y) }
func (a abreast) equal(x, y value) mask              { return binary(a, a.lanes.equal, x, y) }
func (a abreast) lacks(x value, bits uint64) mask    { return binary(a, a.lanes.lacks, x, bits) }
func (a abreast) either(x, y mask) mask              { return binary(a, a.lanes.either, x, y) }
func (a abreast) choose(m mask, yes, no value) value { return ternary(a, a.lanes.choose, m, yes, no) }

func (a abreast) lookUp(t table, index value) value {
	return unary(a, func(index value) value { return a.lanes.lookUp(t, index) }, index)
}

func (a abreast) lookUpAll(index value, tables ...table) []value {
	results := make([]value, len(tables))
	for i := range results {
		results[i] = several{}
	}
	for vector := range a.count {
		for i, entries := range a.lanes.lookUpAll(at[value](index, vector), tables...) {
			results[i] = append(results[i].(several), entries)
		}
	}
	return results
}

func (a abreast) split(x value) (k, m value)  { return a.parts(x, a.lanes.split) }
func (a abreast) binade(x value) (k, m value) { return a.parts(x, a.lanes.binade) }

// parts returns the exponents and significands by a step for each vector.
func (a abreast) parts(x value, step func(x value) (k, m value)) (k, m value) {
	exponents, significands := several{}, several{}
	for i := range a.count {
		exponent, significand := step(at[value](x, i))
		exponents, significands = append(exponents, exponent), append(significands, significand)
	}
	return exponents, significands
}

func (a abreast) polynomial(x value, coefficients ...float64) value {
	result := unary(a, a.copied, a.number(coefficients[0]))
	for _, c := range coefficients[1:] {
		for i := range a.count {
			a.horner(at[value](result, i), at[value](x, i), c)
		}
	}
	return result
}

func (a abreast) inStep(all ...polynomial) []value {
	results := make([]value, len(all))
	eachStep(all, func(i int, coefficient float64) {
		results[i] = unary(a, a.copied, a.number(coefficient))
	}, func(i int, coefficient float64) {
		for vector := range a.count {
			a.horner(at[value](results[i], vector), at[value](all[i].x, vector), coefficient)
		}
	})
	return results
}

func (a abreast) leavesBeyond(x value, limit float64) bool {
	if a.asm.beyond == "" {
		return false
	}
	leave, largest := a.asm.leave, a.largest(magnitude(a, x).(several))
	a.asm.leave = a.asm.beyond
	joined := abreast{a.lanes, len(largest)}
	joined.unless(joined.notLess(largest, a.number(limit)))
	a.asm.leave, a.asm.leftBeyond = leave, true
	return true
}

// largest returns the largest magnitudes of all vectors, NaN being beyond all, in single precision, and x itself in double.
func (a abreast) largest(x several) several {
	if a.isDouble() {
		return x
	}
	all := at[vector](x, 0)
	for _, other := range x[1:] {
		all = a.asm.apply(a.asm.VPMAXUD, nil, other.(vector), all)
	}
	return several{all}
}

// unless leaves all vectors if one has an element for which m holds.
func (a abreast) unless(m mask) {
	all := at[mask](m, 0)
	for i := range a.count - 1 {
		all = a.lanes.either(all, at[mask](m, 1+i))
	}
	a.lanes.unless(all)
}

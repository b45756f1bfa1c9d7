package ops

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
)

// eachComplexGradient runs body for the samples of the operators with a gradient that are given complex numbers, or return them.
func eachComplexGradient(t *testing.T, body func(t *testing.T, c testCase)) {
	tried := 0
	for _, op := range All() {
		if op.Gradient == nil {
			continue
		}
		d := dtype.Complex128
		switch {
		case ofComplexAlone[op] && !slices.Contains(op.Accepts, d):
			d = dtype.Float64
		case op.Accepts != nil && !slices.Contains(op.Accepts, d):
			continue
		}
		t.Run(op.Name, func(t *testing.T) {
			for _, s := range op.Samples {
				if takes := operators[op.Name].takes; takes != nil && !takes(s.Params, d) || op == Cast && !s.Params.(CastParams).DType.IsComplex() {
					continue
				}
				tried++
				t.Run(describe(s), func(t *testing.T) { body(t, newCase(op, s, d)) })
			}
		})
	}
	require.NotZero(t, tried)
}

// numbers are the parts of the elements of an array; imaginary is nil if they are real.
type numbers struct{ array, imaginary array }

func (n numbers) tensor(env *Env) *Tensor {
	if n.imaginary.values == nil {
		return n.array.tensor(env)
	}
	return InvokeOne(Complex, nil, n.array.tensor(env), n.imaginary.tensor(env))
}

// inexact returns the results that have gradients, and numbers to multiply the parts of each with.
func inexact(results []*Tensor) (some []*Tensor, factors []numbers) {
	for i, y := range results {
		if !y.DType().IsInexact() {
			continue
		}
		n := numbers{array: weights(y.DType().RealPart(), y.Shape(), uint64(1+i))}
		if y.DType().IsComplex() {
			n.imaginary = weights(y.DType().RealPart(), y.Shape(), uint64(31+i))
		}
		some, factors = append(some, y), append(factors, n)
	}
	return some, factors
}

// weighedParts returns the sum of the parts of the results of the reference, each times its factor. NaN, of no elements, has no slope.
func (c testCase) weighedParts(factors []numbers) (sum float64) {
	results, imaginary := c.reference()
	for i, y := range results {
		if !y.dtype.IsInexact() {
			continue
		}
		product := dot(factors[0].array.values, y.values)
		if factors[0].imaginary.values != nil && imaginary != nil && imaginary[i] != nil {
			product += dot(factors[0].imaginary.values, imaginary[i])
		}
		if product == product {
			sum += product
		}
		factors = factors[1:]
	}
	return sum
}

// partsOf returns the real and the imaginary parts of x, zeros if it is real.
func partsOf(t *testing.T, x *Tensor) (re, im []float64) {
	if !x.DType().IsComplex() {
		re = valuesOf(t, x)
		return re, make([]float64, len(re))
	}
	for _, z := range complexValues(t, x) {
		re, im = append(re, real(z)), append(im, imag(z))
	}
	return re, im
}

func TestComplexGradientsEqualCentralDifferencesOfTheReference(t *testing.T) {
	env := newEnv(t, "perdevice")
	eachComplexGradient(t, func(t *testing.T, c testCase) {
		for i, x := range c.in {
			if !x.dtype.IsInexact() {
				continue
			}
			recorder := &tape{}
			operands := c.place(env, rowMajor)
			operands[i] = recorder.watch(operands[i])
			y, factors := inexact(c.call(env, operands))
			up := []*Tensor{}
			for _, f := range factors {
				up = append(up, f.tensor(env))
			}
			g := recorder.gradient(env, y, up, operands[i:i+1])[0]
			if g == nil {
				require.Empty(t, x.values, "operand %d", i)
				continue
			}
			require.Equal(t, x.dtype, g.DType())
			re, im := partsOf(t, g)
			require.Len(t, re, len(x.values))
			probed := probes(len(x.values))
			if testing.Short() && len(x.values) > 100 {
				probed = probed[len(probed)-2:] // the reference takes long for large matrices
			}
			for _, element := range probed {
				want := slope(x, element, func() float64 { return c.weighedParts(factors) })
				requireNear(t, want, re[element], 1e-6, "operand ", i, " real part of ", element)
				if x.dtype.IsComplex() {
					part := array{values: c.imag[i]}
					want = slope(part, element, func() float64 { return c.weighedParts(factors) })
					requireNear(t, want, im[element], 1e-6, "operand ", i, " imaginary part of ", element)
				}
			}
		}
	})
}

// TestNoComplexGradientIsComparedWithNothing finds, for each operand that has complex gradients, a case where the difference is not zero.
func TestNoComplexGradientIsComparedWithNothing(t *testing.T) {
	env := newEnv(t, "perdevice")
	moving := map[string]map[int]bool{}
	eachComplexGradient(t, func(t *testing.T, c testCase) {
		if moving[c.op.Name] == nil {
			moving[c.op.Name] = map[int]bool{}
		}
		_, factors := inexact(c.call(env, c.place(env, rowMajor)))
		for i, x := range c.in {
			parts := []array{x, {values: c.imag[i]}}
			moving[c.op.Name][i] = moving[c.op.Name][i] || !x.dtype.IsInexact() || slices.ContainsFunc(parts, func(part array) bool {
				return slices.ContainsFunc(probes(len(part.values)), func(element int) bool {
					return slope(part, element, func() float64 { return c.weighedParts(factors) }) != 0
				})
			})
		}
	})
	for op, operands := range moving {
		for i, moves := range operands {
			require.True(t, moves, "operand %d of %s", i, op)
		}
	}
	for op := range ofComplexAlone {
		require.NotEmpty(t, moving[op.Name], op.Name)
	}
}

// firstGradients returns the sum of the parts of the gradients of all operands, each times a number of its own, and the tensors it is made of.
func (c testCase) firstGradients(t *testing.T, env *Env, outer *tape) (sum float64, operands, gradients []*Tensor, seeds []numbers) {
	inner := &tape{}
	operands = c.place(env, rowMajor)
	for i, x := range operands {
		if x.DType().IsInexact() {
			operands[i] = inner.watch(outer.watch(x))
		}
	}
	y, factors := inexact(c.call(env, operands))
	up := []*Tensor{}
	for _, f := range factors {
		up = append(up, f.tensor(env))
	}
	for _, g := range inner.gradient(env, y, up, operands) {
		if g != nil && g.DType().IsInexact() {
			gradients = append(gradients, g)
		}
	}
	_, seeds = inexact(gradients)
	for i, g := range gradients {
		re, im := partsOf(t, g)
		if sum += dot(seeds[i].array.values, re); seeds[i].imaginary.values != nil {
			sum += dot(seeds[i].imaginary.values, im)
		}
	}
	return sum, operands, gradients, seeds
}

func TestGradientsOfComplexGradientsEqualCentralDifferences(t *testing.T) {
	env := newEnv(t, "naive")
	eachComplexGradient(t, func(t *testing.T, c testCase) {
		outer := &tape{}
		_, operands, gradients, seeds := c.firstGradients(t, env, outer)
		results, up := []*Tensor{}, []*Tensor{}
		for i, g := range gradients {
			if g.NodeOf(outer) >= 0 {
				results, up = append(results, g), append(up, seeds[i].tensor(env))
			}
		}
		value := func() float64 {
			sum, _, _, _ := c.firstGradients(t, env, &tape{})
			return sum
		}
		for i, g := range outer.gradient(env, results, up, operands) {
			if !c.in[i].dtype.IsInexact() {
				continue
			}
			re, im := make([]float64, len(c.in[i].values)), make([]float64, len(c.in[i].values))
			if g != nil {
				re, im = partsOf(t, g)
			}
			for _, element := range probes(len(re)) {
				requireNear(t, slope(c.in[i], element, value), re[element], 1e-5, "operand ", i, " real part of ", element)
				if c.in[i].dtype.IsComplex() {
					requireNear(t, slope(array{values: c.imag[i]}, element, value), im[element], 1e-5, "operand ", i, " imaginary part of ", element)
				}
			}
		}
	})
}

package ops

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/storage"
)

// step is the distance of central differences, far below that of any two elements where an operator has a kink. The error
// of a difference is about step² + 2^-52/step.
const step = 1e-5

// eachGradient runs body for every sample of every operator with a gradient and float results.
func eachGradient(t *testing.T, dtypes []dtype.DType, body func(t *testing.T, c testCase)) {
	for turn, op := range All() {
		if op.Gradient == nil {
			continue
		}
		t.Run(op.Name, func(t *testing.T) {
			for _, s := range op.Samples {
				for _, d := range dtypes {
					if op.Accepts != nil && !slices.Contains(op.Accepts, d) {
						continue
					}
					if turn++; testing.Short() && turn%shortShareOfGradients != 0 {
						continue
					}
					c := newCase(op, s, d)
					if !c.row.reference(c.in, s.Params)[0].dtype.IsFloat() {
						continue
					}
					t.Run(fmt.Sprintf("%v %s", d, describe(s)), func(t *testing.T) { body(t, c) })
				}
			}
		})
	}
}

// shortShareOfGradients is the part of the cases, one in so many, that short tests differentiate.
const shortShareOfGradients = 4

// weights returns numbers to multiply results with, so that all of them count and differently.
func weights(d dtype.DType, shape []int, seed uint64) array {
	r := rand.New(rand.NewPCG(seed, 3))
	return made(d, shape, func([]int) float64 { return rounded(d, r.Float64()+0.5) })
}

// floatResults returns the results that have gradients.
func floatResults(y []*Tensor) (some []*Tensor) {
	for _, x := range y {
		if x.DType().IsFloat() {
			some = append(some, x)
		}
	}
	return some
}

// upstreamOf returns weights for each of the results.
func upstreamOf(y []*Tensor) (all []array) {
	for i, x := range y {
		all = append(all, weights(x.DType(), x.Shape(), uint64(1+10*i)))
	}
	return all
}

func tensorsOf(env *Env, all []array) (tensors []*Tensor) {
	for _, a := range all {
		tensors = append(tensors, a.tensor(env))
	}
	return tensors
}

// weighed returns the sum of the float results of the reference, each times its weight. NaN, of no elements, has no slope.
func (c testCase) weighed(up []array) float64 {
	sum := 0.0
	for _, y := range c.row.reference(c.in, c.sample.Params) {
		if !y.dtype.IsFloat() {
			continue
		}
		if product := dot(up[0].values, y.values); product == product {
			sum += product
		}
		up = up[1:]
	}
	return sum
}

// probes returns the numbers of some elements of n, all if they are few.
func probes(n int) []int {
	numbers := []int{}
	for i := 0; i < n; i += 1 + n/7 {
		numbers = append(numbers, i)
	}
	return numbers
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// slope returns the central difference of f for an element of x.
func slope(x array, element int, f func() float64) float64 {
	before := x.values[element]
	x.values[element] = before + step
	above := f()
	x.values[element] = before - step
	below := f()
	x.values[element] = before
	return (above - below) / (2 * step)
}

func requireNear(t *testing.T, want, got, tolerance float64, about ...any) {
	t.Helper()
	require.LessOrEqual(t, math.Abs(got-want), tolerance*(1+math.Abs(want)), fmt.Sprint("want ", want, ", got ", got, " ", fmt.Sprint(about...)))
}

func TestGradientsEqualCentralDifferencesOfTheReference(t *testing.T) {
	env := newEnv(t, "perdevice")
	eachGradient(t, []dtype.DType{dtype.Float64}, func(t *testing.T, c testCase) {
		for i, x := range c.in {
			if !x.dtype.IsFloat() {
				continue
			}
			recorder := &tape{}
			operands := c.place(env, rowMajor)
			operands[i] = recorder.watch(operands[i])
			y := floatResults(c.call(env, operands))
			up := upstreamOf(y)
			g := recorder.gradient(env, y, tensorsOf(env, up), operands[i:i+1])[0]
			require.Equal(t, c.row.flat, g == nil, "operand %d", i)
			if g == nil {
				g = newArray(x.dtype, x.shape).tensor(env)
			}
			require.Equal(t, x.dtype, g.DType())
			require.Len(t, g.Shape(), len(x.shape))
			got := arrayOf(t, g)
			require.Equal(t, len(x.values), len(got.values))
			for _, element := range probes(len(x.values)) {
				want := slope(x, element, func() float64 { return c.weighed(up) })
				requireNear(t, want, got.values[element], 1e-6, "operand ", i, " element ", element)
			}
		}
	})
}

// secondOrder is a call watched by two tapes, one for each order.
type secondOrder struct {
	c        testCase
	env      *Env
	up       []array
	seeds    []array // what first gradients are multiplied with
	operands []*Tensor
	upstream []*Tensor
	first    []*Tensor // gradients of the operands that have one
}

func newSecondOrder(c testCase, env *Env, outer *tape) *secondOrder {
	s := &secondOrder{c: c, env: env, operands: c.place(env, rowMajor)}
	inner := &tape{}
	for i, x := range s.operands {
		if x.DType().IsFloat() {
			s.operands[i] = inner.watch(outer.watch(x))
		}
	}
	y := floatResults(c.call(env, s.operands))
	s.up = upstreamOf(y)
	for _, up := range s.up {
		s.upstream = append(s.upstream, outer.watch(up.tensor(env)))
	}
	for i, g := range inner.gradient(env, y, s.upstream, s.operands) {
		if g != nil && s.operands[i].DType().IsFloat() {
			s.first = append(s.first, g)
			s.seeds = append(s.seeds, weights(g.DType(), g.Shape(), uint64(i+2)))
		}
	}
	return s
}

// value returns the first gradients times their seeds, for the contents that operands and upstream have now.
func (s *secondOrder) value(t *testing.T) float64 {
	operands, recorder := s.c.place(s.env, rowMajor), &tape{}
	for i, x := range operands {
		if x.DType().IsFloat() {
			operands[i] = recorder.watch(x)
		}
	}
	y := floatResults(s.c.call(s.env, operands))
	sum, next := 0.0, 0
	for i, g := range recorder.gradient(s.env, y, tensorsOf(s.env, s.up), operands) {
		if g != nil && operands[i].DType().IsFloat() {
			sum += dot(s.seeds[next].values, valuesOf(t, g))
			next++
		}
	}
	return sum
}

// TestGradientsOfGradientsEqualCentralDifferences also differentiates by the upstream gradient.
func TestGradientsOfGradientsEqualCentralDifferences(t *testing.T) {
	env := newEnv(t, "naive")
	eachGradient(t, []dtype.DType{dtype.Float64}, func(t *testing.T, c testCase) {
		if c.op.Name == "cast" {
			return // linear, and its differences have the precision of float32
		}
		outer := &tape{}
		s := newSecondOrder(c, env, outer)
		results, seeds := []*Tensor{}, []*Tensor{}
		for i, g := range s.first {
			if g.NodeOf(outer) >= 0 {
				results, seeds = append(results, g), append(seeds, s.seeds[i].tensor(env))
			}
		}
		sources, contents := slices.Clone(s.upstream), slices.Clone(s.up)
		for i, x := range s.operands {
			if x.DType().IsFloat() {
				sources, contents = append(sources, x), append(contents, c.in[i])
			}
		}
		for i, g := range outer.gradient(env, results, seeds, sources) {
			got := make([]float64, len(contents[i].values))
			if g != nil {
				got = valuesOf(t, g)
			}
			for _, element := range probes(len(got)) {
				want := slope(contents[i], element, func() float64 { return s.value(t) })
				requireNear(t, want, got[element], 1e-5, "source ", i, " element ", element)
			}
		}
	})
}

func TestGradientsOnSimAndNaiveEqualThoseOfTheDefaultInEveryBit(t *testing.T) {
	perDevice, naive := newEnv(t, "perdevice"), newEnv(t, "naive")
	run := func(t *testing.T, c testCase, env *Env) (all [][]byte) {
		recorder := &tape{}
		operands := c.place(env, rowMajor)
		for i, x := range operands {
			operands[i] = recorder.watch(x)
		}
		y := floatResults(c.call(env, operands))
		for _, g := range recorder.gradient(env, y, tensorsOf(env, upstreamOf(y)), operands) {
			if g == nil {
				all = append(all, nil)
				continue
			}
			all = append(all, mustBytes(t, g))
		}
		return all
	}
	eachGradient(t, floats, func(t *testing.T, c testCase) {
		want := run(t, c, perDevice)
		require.Equal(t, want, run(t, c, naive), "naive")
		require.Equal(t, want, run(t, c, simOf(perDevice)), "sim(0)")
	})
}

func TestGradientsHaveTheShapeAndTypeOfTheirOperand(t *testing.T) {
	env := newEnv(t, "perdevice")
	eachGradient(t, floating, func(t *testing.T, c testCase) {
		recorder := &tape{}
		operands := c.place(env, backward)
		for i, x := range operands {
			operands[i] = recorder.watch(x)
		}
		y := floatResults(c.call(env, operands))
		for i, g := range recorder.gradient(env, y, tensorsOf(env, upstreamOf(y)), operands) {
			if g == nil {
				require.True(t, c.row.flat || !c.in[i].dtype.IsFloat(), "operand %d has no gradient", i)
				continue
			}
			require.Equal(t, operands[i].DType(), g.DType())
			require.True(t, slices.Equal(operands[i].Shape(), g.Shape()), "%v", g.Shape())
		}
	})
}

// goesThroughLargeNumbers tells of gradients that are differentiated through products of matrices, or many times: small elements are sums of large
// numbers of both signs there, and have the errors of these.
var goesThroughLargeNumbers = map[string]bool{"self_attention_gradient": true, "lstm_gradient": true, "gru_gradient": true, "rnn_gradient": true}

// TestGradientsOfHalvesAreNearThoseOfFloat64 allows for each of a rule's roundings, of numbers up to the size of the element, or of the largest one.
func TestGradientsOfHalvesAreNearThoseOfFloat64(t *testing.T) {
	env := newEnv(t, "perdevice")
	eachGradient(t, halves, func(t *testing.T, c testCase) {
		run := func(d dtype.DType) (all []array) {
			recorder, operands := &tape{}, []*Tensor{}
			for _, a := range c.in {
				if a.dtype.IsFloat() {
					a.dtype = d
				}
				operands = append(operands, recorder.watch(a.tensor(env)))
			}
			y, ones := floatResults(c.call(env, operands)), []*Tensor{}
			for _, x := range y {
				ones = append(ones, made(x.DType(), x.Shape(), func([]int) float64 { return 1 }).tensor(env))
			}
			for _, g := range recorder.gradient(env, y, ones, operands) {
				if g != nil {
					all = append(all, arrayOf(t, g))
				}
			}
			return all
		}
		exact, results := run(dtype.Float64), storage.Count(c.row.reference(c.in, c.sample.Params)[0].shape)
		for i, g := range run(c.dtype) {
			require.Equal(t, c.dtype, g.dtype)
			largest := slices.Max(append(magnitudes(exact[i].values), 1))
			for j, got := range g.values {
				want, terms := exact[i].values[j], float64(max(1, results/max(1, len(g.values))))
				allowed := 16 * terms * lastPlace(c.dtype, max(1, math.Abs(want)))
				if goesThroughLargeNumbers[c.op.Name] {
					allowed = 16 * lastPlace(c.dtype, largest)
				}
				require.LessOrEqual(t, math.Abs(got-want), allowed, "operand %d element %d: want %v, got %v", i, j, want, got)
			}
		}
	})
}

// TestGradientsAtKinksAreTheDocumentedChoice gives ties, where differences say nothing.
func TestGradientsAtKinksAreTheDocumentedChoice(t *testing.T) {
	env := newEnv(t, "perdevice")
	vector := func(v ...float64) array { return array{dtype.Float64, []int{len(v)}, v, nil} }
	places := func(v ...float64) array { return array{dtype.Int64, []int{len(v)}, v, nil} }
	tuples := func(v ...float64) array { return array{dtype.Int64, []int{len(v), 1}, v, nil} }
	nan, inf := math.NaN(), math.Inf(1)
	for _, k := range []struct {
		op     *Operator
		params any
		in     []array
		up     array
		want   [][]float64
	}{
		{Relu, nil, []array{vector(-1, 0, 2)}, vector(3, 3, 3), [][]float64{{0, 0, 3}}},
		{Maximum, nil, []array{vector(1, 2, 3), vector(1, 3, 2)}, vector(4, 4, 4), [][]float64{{2, 0, 4}, {2, 4, 0}}},
		{Max, ReduceParams{KeepDims: true}, []array{vector(5, 1, 5)}, vector(4), [][]float64{{2, 0, 2}}},
		{Sqrt, nil, []array{vector(0)}, vector(1), [][]float64{{math.Inf(1)}}},
		{ScatterAdd, ScatterParams{[]int{2}, 0, "clip"}, []array{vector(1, 2, 3), {dtype.Int64, []int{3}, []float64{-4, 9, 1}, nil}}, vector(5, 7), [][]float64{{5, 7, 7}, nil}},
		{PutAlongAxis, PutAlongAxisParams{0, "raise", ReduceMax}, []array{vector(5, 1, nan, 0), places(0, 0, 1, 2), vector(5, 5, 2, 3)}, vector(6, 4, 8, 7), [][]float64{{2, 0, 8, 7}, nil, {2, 2, 4, 0}}},
		{ScatterND, ScatterNDParams{0, ReduceMin}, []array{vector(5, 1), tuples(0, 0), vector(nan, nan)}, vector(6, 4), [][]float64{{0, 4}, nil, {3, 3}}},
		{PutPoints, PutPointsParams{ReduceMul}, []array{vector(2, 3, 5), vector(0, 7, 0, 0, inf), places(0, 0, 1, 1, 2)}, vector(1, 1, 1), [][]float64{{0, 0, inf}, {14, 0, 0, 0, 5}, nil}},
		{MaskPut, MaskPutParams{0, ReduceMax}, []array{vector(4, 4, 4), {dtype.Bool, []int{3}, []float64{1, 0, 1}, nil}, vector(4, 9)}, vector(6, 6, 6), [][]float64{{3, 6, 0}, nil, {3, 6}}},
	} {
		recorder, operands := &tape{}, []*Tensor{}
		for _, a := range k.in {
			operands = append(operands, recorder.watch(a.tensor(env)))
		}
		y := Invoke(k.op, k.params, operands...)
		for i, g := range recorder.gradient(env, y, []*Tensor{k.up.tensor(env)}, operands) {
			if k.want[i] == nil {
				require.Nil(t, g)
				continue
			}
			require.Equal(t, k.want[i], valuesOf(t, g), "%s operand %d", k.op.Name, i)
		}
	}
}

// TestTheGradientOfOneResultIsThatOfZerosForTheOthers has calls with several results of which nothing but one is used.
func TestTheGradientOfOneResultIsThatOfZerosForTheOthers(t *testing.T) {
	env := newEnv(t, "naive")
	eachGradient(t, []dtype.DType{dtype.Float64, dtype.BFloat16}, func(t *testing.T, c testCase) {
		count := len(floatResults(c.call(env, c.place(env, rowMajor))))
		for alone := 0; alone < count && count > 1; alone++ {
			gradients := func(isOne bool) []*Tensor {
				operands, recorder := c.place(env, rowMajor), &tape{}
				for i, x := range operands {
					if x.DType().IsFloat() {
						operands[i] = recorder.watch(x)
					}
				}
				y := floatResults(c.call(env, operands))
				up := tensorsOf(env, upstreamOf(y))
				if isOne {
					return recorder.gradient(env, y[alone:alone+1], up[alone:alone+1], operands)
				}
				for i := range up {
					if i != alone {
						up[i] = newArray(up[i].DType(), up[i].Shape()).tensor(env)
					}
				}
				return recorder.gradient(env, y, up, operands)
			}
			want, got := gradients(false), gradients(true)
			for i := range got {
				if got[i] == nil {
					continue // zeros
				}
				wanted := arrayOf(t, want[i])
				for element, v := range arrayOf(t, got[i]).values {
					requireNear(t, wanted.values[element], v, 1e-9, "result ", alone, " operand ", i, " element ", element)
				}
			}
		}
	})
}

package ops

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/resource"
	"github.com/weft-nd/weft/storage"

	_ "github.com/weft-nd/weft/kernels/sim"
)

// testCase is one call that derives from a sample of an operator.
type testCase struct {
	op     *Operator
	row    row
	sample Sample
	dtype  dtype.DType // of the operands without a fixed one
	in     []array
	imag   map[int][]float64 // the imaginary parts of complex operands, whose real parts are in in
}

// dtypesOf returns the element types that the operands of op can be given in.
func dtypesOf(op *Operator) []dtype.DType {
	r := operators[op.Name]
	_, fixed := r.fixed[0]
	switch {
	case len(op.Inputs) == 0 || fixed && len(r.fixed) == len(op.Inputs):
		return []dtype.DType{dtype.Int64} // chooses nothing
	case r.dtypes != nil:
		return slices.Concat(r.dtypes, complexTypesOf(op))
	case op.Accepts != nil:
		return op.Accepts
	}
	return dtype.All()
}

// dtypesFor returns those of dtypesOf that the operator takes with the parameters of a sample.
func dtypesFor(op *Operator, s Sample) []dtype.DType {
	takes := operators[op.Name].takes
	return slices.DeleteFunc(slices.Clone(dtypesOf(op)), func(d dtype.DType) bool { return takes != nil && !takes(s.Params, d) })
}

// newCase makes the operands of a sample.
func newCase(op *Operator, s Sample, d dtype.DType) testCase {
	c := testCase{op: op, row: operators[op.Name], sample: s, dtype: d, imag: map[int][]float64{}}
	r := rand.New(rand.NewPCG(uint64(len(op.Name)), uint64(d)))
	low, high := c.row.low, c.row.high
	if low == high {
		low, high = -2, 2
	}
	total := 0
	for _, shape := range s.Shapes {
		total += storage.Count(shape)
	}
	numbers := distinct(r, total, low, high)
	for i, shape := range s.Shapes {
		a := newArray(d, shape)
		fixed, isFixed := c.row.fixed[i]
		if isFixed {
			a.dtype = fixed
		}
		for j := range a.values {
			v := numbers[0]
			numbers = numbers[1:]
			switch {
			case a.dtype == dtype.Bool:
				v = float64(r.IntN(2))
			case isFixed:
				first, end := c.row.indices(s)
				v = float64(first + r.IntN(end-first))
			case a.dtype.Kind() == dtype.KindUnsigned || a.dtype.IsInteger() && low > 0:
				v = float64(1 + r.IntN(9))
			case a.dtype.IsInteger():
				v = float64(r.IntN(19) - 9)
			case c.row.ties:
				v = float64(r.IntN(3) - 1)
			}
			a.values[j] = rounded(a.dtype, v)
		}
		if a.dtype.IsComplex() {
			c.imag[i] = imaginaryParts(a, r, c.row)
		}
		c.in = append(c.in, a)
	}
	if c.row.prepare != nil {
		c.row.prepare(c.in)
	}
	if prepare := complexOperators[op.Name].prepare; prepare != nil {
		prepare(c.in, c.imag)
	}
	return c
}

// eachCase runs body as a subtest for every sample of every operator in every element type it takes; short tests for a part of them.
func eachCase(t *testing.T, body func(t *testing.T, c testCase)) {
	share := 1
	if testing.Short() {
		share = shortShare
	}
	eachCaseOf(t, All(), share, body)
}

// eachCaseOf runs one in so many cases of operators.
func eachCaseOf(t *testing.T, operators []*Operator, share int, body func(t *testing.T, c testCase)) {
	for turn, op := range operators {
		t.Run(op.Name, func(t *testing.T) {
			for _, s := range op.Samples {
				for _, d := range dtypesFor(op, s) {
					if turn++; turn%share != 0 {
						continue
					}
					c := newCase(op, s, d)
					t.Run(fmt.Sprintf("%v %s", d, describe(s)), func(t *testing.T) { body(t, c) })
				}
			}
		})
	}
}

// shortShare is the part of the cases, one in so many, that short tests run: others for each operator, since the race detector
// and emulators take long for all.
const shortShare = 23

// place returns the operands as Tensors.
func (c testCase) place(env *Env, how layout) []*Tensor {
	operands := make([]*Tensor, len(c.in))
	for i, a := range c.in {
		operands[i] = a.placed(env, how, c.imag[i]...)
	}
	return operands
}

// sampleSeed is that of the numbers that cases draw.
const sampleSeed = 5

func init() {
	for name, r := range operators {
		if r.drawn != nil {
			r.reference = func(in []array, params any) []array {
				return r.drawn(in, params, resource.NewGenerator(sampleSeed).Next())
			}
			operators[name] = r
		}
	}
}

// seeded returns xs in Envs that share a generator with the seed of the cases.
func seeded(xs []*Tensor) []*Tensor {
	g, moved := resource.NewGenerator(sampleSeed), []*Tensor{}
	for _, x := range xs {
		moved = append(moved, x.In(x.env.WithGenerator(g)))
	}
	return moved
}

// call invokes the operator; it returns the results, then the operands that were updated in place.
func (c testCase) call(env *Env, operands []*Tensor) []*Tensor {
	if c.op.Draws {
		env, operands = env.WithSeed(sampleSeed), seeded(operands)
	}
	if len(operands) == 0 {
		return InvokeIn(env, c.op, c.sample.Params)
	}
	return append(Invoke(c.op, c.sample.Params, operands...), c.mutated(operands)...)
}

func (c testCase) mutated(operands []*Tensor) (mutated []*Tensor) {
	if c.op.Mutates == nil {
		return nil
	}
	call := &Call{Inputs: make([]Operand, len(operands))}
	for i, x := range operands {
		if c.op.Mutates(call, i) {
			mutated = append(mutated, x)
		}
	}
	return mutated
}

// run calls the operator in env and returns the bytes of all that it wrote.
func (c testCase) run(t *testing.T, env *Env) [][]byte {
	t.Helper()
	all := [][]byte{}
	for _, x := range c.call(env, c.place(env, rowMajor)) {
		all = append(all, mustBytes(t, x))
	}
	return all
}

// newEnv returns an Env of a new engine.
func newEnv(t testing.TB, kind string, options ...engine.Option) *Env {
	t.Helper()
	e, err := engine.New(kind, options...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close(context.Background())) })
	return NewEnv(e)
}

// poolOf returns a pool that is closed with the test.
func poolOf(t testing.TB, workers int) engine.Option {
	pool := parallel.New(workers)
	t.Cleanup(pool.Close)
	return engine.WithPool(pool)
}

func simOf(env *Env) *Env { return env.WithDevice(device.Sim(0)) }

package ops

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// What the caller computes holds up all others who push, so it is bounded: in elements, time, results and the distance of elements.
func TestReductionsAreBriefWhereTheyTakeSomeMicroseconds(t *testing.T) {
	bytes := int(briefReduction / cpu.ReductionNanoseconds(1)) // fewer without assembly
	most := min(briefReduced, bytes/4)
	for _, c := range []struct {
		name    string
		dtype   dtype.DType
		count   int
		stride  int
		outputs int
		brief   bool
	}{
		{"one element", dtype.Float32, 1, 1, 1, true},
		{"the most", dtype.Float32, most, 1, 1, true},
		{"one more", dtype.Float32, most + 1, 1, 1, false},
		{"too many bytes", dtype.Float64, bytes/8 + 1, 1, 1, false},
		{"as many bytes", dtype.Float64, bytes / 8, 1, 1, true},
		{"few bytes", dtype.Int8, briefReduced + 1, 1, 1, false},
		{"elements apart", dtype.Float32, 2000, 2, 1, false},
		{"few elements apart", dtype.Float32, 4 * briefElements, 2, 1, true},
		{"many results", dtype.Float32, 2000, 1, briefElements + 1, false},
	} {
		in := storage.View{DType: c.dtype, Shape: []int{c.count}, Strides: []int{c.stride}}
		require.Equal(t, c.brief, isBriefReduction(in, c.outputs), c.name)
	}
}

// An Env with a cancel scope has nothing done at once.
func TestSmallConvolutionsAreDoneAtOnceInMemoryOfTheirOwn(t *testing.T) {
	env := newEnv(t, "perdevice")
	scoped := env.WithScope(t.Context())
	for _, filters := range []int{2, 40} { // The plan of the second is of more memory than the first one has left.
		shapes := [][]int{{1, 1, 7, 7}, {filters, 1, 3, 3}}
		call := func(env *Env) *Tensor {
			return InvokeOne(Conv, ConvParams{}, floats32(env, 1, shapes[0]...), floats32(env, -3, shapes[1]...))
		}
		want := contents(t, call(scoped))
		require.NoError(t, env.engine.WaitAll(t.Context()))
		var got *Tensor
		for got = call(env); !got.view.Synced.Var().IsWritten(); got = call(env) {
			runtime.Gosched() // A worker looks after the queues of the engine.
		}
		require.Equal(t, want, contents(t, got))
	}
}

// The few elements of a result may be computed from the ends of long lines, and from filters most of which meet padding.
func TestConvolutionsOfLargeOrEmptyOperandsAreNotBrief(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, c := range []struct {
		op     *Operator
		params any
		shapes [2][]int
		brief  bool
	}{
		{Conv, ConvParams{}, [2][]int{{1, 1, 7, 7}, {2, 1, 3, 3}}, true},
		{Conv, ConvParams{Stride: []int{32}}, [2][]int{{1, 16, 100_000}, {1, 16, 16}}, false},
		{ConvTranspose, ConvTransposeParams{Stride: []int{2}, Padding: []int{5}}, [2][]int{{1, 100, 1}, {100, 7, 1000}}, false},
		{ConvGradientWeights, ConvGradientWeightsParams{Kernel: []int{2}}, [2][]int{{0, 16, 10_001}, {0, 4, 10_000}}, false},
	} {
		call := &newLaunch().call
		call.begin(c.op, c.params, []*Tensor{floats32(env, 0, c.shapes[0]...), floats32(env, 0, c.shapes[1]...)}, nil)
		c.op.Infer(call)
		require.Equal(t, c.brief, c.op.Brief(call), "%s %v", c.op.Name, c.shapes)
	}
}

// Matrices of few elements take longer than their elements tell.
func TestManySmallMatricesAreNotBrief(t *testing.T) {
	for _, c := range []struct {
		op     *Operator
		params any
		shapes [][]int
		brief  bool
	}{
		{Cholesky, nil, [][]int{{8, 8}}, true},
		{Cholesky, nil, [][]int{{40, 40}}, false},
		{Inverse, nil, [][]int{{200, 1, 1}}, false},
		{Solve, nil, [][]int{{12, 12}, {12}}, true},
		{Solve, nil, [][]int{{30, 1, 1, 1}, {1, 40, 1, 1}}, false},
		{Solve, nil, [][]int{{200, 1, 1}, {1}}, false},
		{SolveTriangular, SolveTriangularParams{}, [][]int{{12, 12}, {12, 4}}, true},
		{SVD, nil, [][]int{{2, 2}}, true},
		{SVD, nil, [][]int{{2, 2, 2}}, false},
	} {
		call := &Call{Operator: c.op, Params: c.params}
		for _, shape := range c.shapes {
			call.Inputs = append(call.Inputs, Operand{shape, dtype.Float64})
		}
		c.op.Infer(call)
		require.Equal(t, c.brief, c.op.Brief(call), "%s %v", c.op.Name, c.shapes)
	}
}

package ops

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
)

func TestScansOfExtremesBeginWithTheLimitsOfTheType(t *testing.T) {
	env := newEnv(t, "perdevice")
	exclusive := ScanParams{Axis: -1, Exclusive: true}
	for _, d := range reducible {
		x := array{d, []int{1, 3}, []float64{1, 0, 1}, nil}
		largest := cumulative(toSame, math.Inf(-1), func(a, b float64) float64 { return max(a, b) })([]array{x}, exclusive)[0]
		requireClose(t, largest, Invoke(CumMax, exclusive, x.tensor(env))[0], 0)
		smallest := cumulative(toSame, math.Inf(1), func(a, b float64) float64 { return min(a, b) })([]array{x}, exclusive)[0]
		requireClose(t, smallest, Invoke(CumMin, exclusive, x.tensor(env))[0], 0)
	}
}

func TestReductionsOfExtremeNumbersNeitherOverflowNorVanish(t *testing.T) {
	env := newEnv(t, "perdevice")
	inf, nan := math.Inf(1), math.NaN()
	spread, norm := func(correction float64) any { return SpreadParams{Correction: correction} }, func(p float64) any { return NormParams{Order: p} }
	for _, c := range []struct {
		op     *Operator
		params any
		x      []float64
		want   float64
	}{
		{LogSumExp, ReduceParams{}, []float64{-inf, -inf}, -inf}, {LogSumExp, ReduceParams{}, []float64{1, inf, -inf}, inf}, {LogSumExp, ReduceParams{}, []float64{1, nan, inf}, nan},
		{LogSumExp, ReduceParams{}, []float64{80, 80}, 80 + math.Ln2}, {LogSumExp, ReduceParams{}, []float64{-1000, -1000, -inf}, -1000 + math.Ln2},
		{Var, spread(1), []float64{5}, nan}, {Var, spread(3), []float64{5, 6}, nan}, {Var, spread(0), []float64{1, inf}, nan}, {Var, spread(0), []float64{3, 3, 3}, 0}, {Std, spread(0), []float64{1, 5}, 2},
		{Norm, norm(2), []float64{1e30, 0}, 1e30}, {Norm, norm(2), []float64{3e-30, 4e-30}, 5e-30}, {Norm, norm(inf), []float64{-3, nan}, nan}, {Norm, norm(-inf), []float64{-3, 2}, 2},
		{Norm, norm(0), []float64{-3, 0, nan}, 2}, {Norm, norm(-1), []float64{2, 2}, 1}, {Norm, norm(3), []float64{-inf, 1}, inf},
		{AnyTrue, ReduceParams{}, []float64{0, nan}, 1}, {AllTrue, ReduceParams{}, []float64{nan, math.Copysign(0, -1)}, 0}, {CountNonzero, ReduceParams{}, []float64{nan, 0, 3}, 2},
		{Prod, ReduceParams{}, []float64{inf, 0}, nan}, {Sum, ReduceParams{}, []float64{inf, -inf}, nan}, {Mean, ReduceParams{}, []float64{}, nan}, {Prod, ReduceParams{}, []float64{}, 1},
	} {
		for _, d := range floats {
			got := Invoke(c.op, c.params, array{d, []int{len(c.x)}, c.x, nil}.tensor(env))[0]
			want := array{got.DType(), []int{}, []float64{c.want}, nil}
			requireClose(t, want, got, 4)
		}
	}
}

// Products and cumulative products have gradients where elements are zero, which differences of the reference confirm.
func TestGradientsOfProductsWithZeros(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, values := range [][]float64{{2, 0, 3, 4, 1, 5}, {2, 0, 3, 0, 1, 5}, {0, 0, 0, 1, 2, 0}} {
		for op, params := range map[*Operator]any{Prod: ReduceParams{Axes: []int{1}}, CumProd: ScanParams{Axis: 1}} {
			x := array{dtype.Float64, []int{2, 3}, values, nil}
			recorder := &tape{}
			watched := recorder.watch(x.tensor(env))
			y := Invoke(op, params, watched)
			up := weights(dtype.Float64, y[0].Shape(), 1)
			got := arrayOf(t, recorder.gradient(env, y, []*Tensor{up.tensor(env)}, []*Tensor{watched})[0])
			for i := range values {
				want := slope(x, i, func() float64 { return dot(up.values, operators[op.Name].reference([]array{x}, params)[0].values) })
				requireNear(t, want, got.values[i], 1e-6, op.Name, values, i)
			}
		}
	}
}

func TestGradientsOfReductionsAtTies(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, c := range []struct {
		op     *Operator
		params any
		x      []float64
		want   []float64
	}{
		{Min, ReduceParams{}, []float64{1, 5, 1}, []float64{0.5, 0, 0.5}}, {Std, SpreadParams{}, []float64{2, 2}, []float64{0, 0}},
		{Norm, NormParams{Order: 2}, []float64{0, 0}, []float64{0, 0}}, {Norm, NormParams{Order: math.Inf(1)}, []float64{-3, 3, 1}, []float64{-0.5, 0.5, 0}},
		{Norm, NormParams{Order: 1}, []float64{-3, 0}, []float64{-1, 0}}, {CumMax, ScanParams{}, []float64{1, 3, 3, 2}, []float64{1, 3, 0, 0}},
		{CumMin, ScanParams{}, []float64{3, 1, 1}, []float64{1, 2, 0}}, {LogSumExp, ReduceParams{}, []float64{math.Inf(-1), math.Inf(-1)}, []float64{0, 0}},
	} {
		recorder := &tape{}
		x := recorder.watch(array{dtype.Float64, []int{len(c.x)}, c.x, nil}.tensor(env))
		y := Invoke(c.op, c.params, x)
		ones := made(dtype.Float64, y[0].Shape(), func([]int) float64 { return 1 })
		require.Equal(t, c.want, valuesOf(t, recorder.gradient(env, y, []*Tensor{ones.tensor(env)}, []*Tensor{x})[0]), "%s %v", c.op.Name, c.x)
	}
}

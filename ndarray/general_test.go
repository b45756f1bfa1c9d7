package ndarray_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestMatricesOfGonumAreAdoptedWithoutACopy(t *testing.T) {
	dense := mat.NewDense(3, 4, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	part := dense.Slice(1, 3, 1, 3).(*mat.Dense)
	a := nd.AdoptGeneral(part.RawMatrix())
	require.Equal(t, []float64{5, 6, 9, 10}, values[float64](t, a))
	nd.SquareInto(a, a)
	require.NoError(t, a.Wait(context.Background()))
	require.Equal(t, 100.0, dense.At(2, 2))
	require.Equal(t, 7.0, dense.At(1, 3))
	require.Equal(t, []float64{25, 36, 81, 100}, values[float64](t, nd.FromMatrix(part)))
	require.Equal(t, []int{0, 4}, nd.AdoptGeneral(blas32.General{Cols: 4, Stride: 4}).Shape())
	for _, wrong := range []blas32.General{
		{Rows: 2, Cols: 2, Stride: 1, Data: make([]float32, 4)}, {Rows: 2, Cols: 2, Stride: 3, Data: make([]float32, 4)},
		{Rows: 1, Cols: 2, Stride: 2, Data: make([]float32, 1)}, {Rows: -1, Cols: 2, Stride: 2}, {Rows: 1 << 62, Cols: 1, Stride: 1 << 62, Data: make([]float32, 9)},
	} {
		require.ErrorIs(t, mistake(t, func() { nd.AdoptGeneral(wrong) }), fault.ErrShape)
	}
}

func TestAnAdoptedSliceLivesAsLongAsItsArrays(t *testing.T) {
	collected := make(chan struct{})
	a := func() *nd.Array {
		data := make([]float64, 1<<16)
		data[1<<16-1] = 7
		runtime.AddCleanup(&data[0], func(done chan struct{}) { close(done) }, collected)
		return nd.AdoptGeneral(blas64.General{Rows: 2, Cols: 1 << 15, Stride: 1 << 15, Data: data}).Index(1, nd.Span(-1, nd.Open))
	}()
	for range 5 {
		runtime.GC()
	}
	require.Equal(t, []float64{7}, values[float64](t, a))
	select {
	case <-collected:
		t.Error("collected while a view is there")
	default:
	}
	runtime.KeepAlive(a)
	a = nil
	for {
		runtime.GC()
		select {
		case <-collected:
			return
		default:
			runtime.Gosched()
		}
	}
}

func TestGonumSeesArraysThemselves(t *testing.T) {
	x := floats(4, 6)
	part := x.Index(nd.Span(1, 3), nd.Span(2, 5))
	require.NoError(t, nd.WriteGeneral(context.Background(), part, func(m blas32.General) error {
		require.Equal(t, [3]int{2, 3, 6}, [3]int{m.Rows, m.Cols, m.Stride})
		blas32.Scal(2, blas32.Vector{N: m.Cols, Inc: 1, Data: m.Data})
		m.Data[m.Stride] = 100
		return nil
	}))
	require.Equal(t, []float32{16, 18, 20, 100, 15, 16}, values[float32](t, part))
	require.Equal(t, []float32{6, 7, 16, 18, 20, 11}, values[float32](t, x.Index(1)))
	seen := func(a *nd.Array) (elements []float64) {
		require.NoError(t, nd.ReadGeneral(context.Background(), a, func(m blas64.General) error {
			for i := range m.Rows * min(m.Cols, 1) { // without columns there are no data
				elements = append(elements, m.Data[i*m.Stride:][:m.Cols]...)
			}
			return nil
		}))
		return elements
	}
	y := nd.Arange[float64](0, 6, 1).Reshape(2, 3)
	require.Equal(t, []float64{0, 3, 1, 4, 2, 5}, seen(y.T()), "a copy")
	require.Equal(t, []float64{1, 4}, seen(y.Index(nd.Whole, nd.Span(1, 2))))
	require.Equal(t, []float64{3, 4, 5, 0, 1, 2}, seen(y.Flip(0)))
	require.Equal(t, []float64{0, 1, 2, 0, 1, 2}, seen(y.Index(0).BroadcastTo(2, 3)))
	require.Empty(t, seen(nd.Zeros[float64](0, 3)))
	require.Empty(t, seen(nd.Zeros[float64](3, 0)))
	require.Equal(t, []float64{1, 2, 3, 4, 5, 6}, seen(y.To(device.Sim(0)).AddScalar(1)))
	require.Equal(t, []float64{2, 5}, seen(y.To(device.Sim(0)).AddScalar(1).Index(nd.Whole, nd.Span(1, 2))))
}

func TestMistakesAndErrorsOfMatricesForTheBLAS(t *testing.T) {
	ctx, none := context.Background(), func(blas32.General) error { return nil }
	for _, a := range []*nd.Array{floats(2, 3).T(), floats(3, 2).Flip(0), floats(1, 2).BroadcastTo(3, 2)} {
		require.ErrorIs(t, mistake(t, func() { _ = nd.WriteGeneral(ctx, a, none) }), fault.ErrMisuse)
	}
	require.ErrorIs(t, mistake(t, func() { _ = nd.ReadGeneral(ctx, floats(2), none) }), fault.ErrShape)
	require.ErrorIs(t, mistake(t, func() { _ = nd.ReadGeneral(ctx, nd.Zeros[float64](2, 2), none) }), fault.ErrDType)
	cause := errors.New("the user's own")
	x := floats(2, 2)
	require.ErrorIs(t, nd.ReadGeneral(ctx, x, func(blas32.General) error { return cause }), cause)
	require.NoError(t, x.Wait(ctx))
	require.ErrorIs(t, nd.WriteGeneral(ctx, x, func(blas32.General) error { return cause }), cause)
	require.ErrorIs(t, x.Wait(ctx), cause)
}

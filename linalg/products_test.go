package linalg_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/linalg"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestMatrixPowersAreProducts(t *testing.T) {
	eachKind(t, []int{0, 1, 4}, func(t *testing.T, d dtype.DType, batch []int, size int) {
		a := regular(d, batch, size).DivScalar(float64(size + 3))
		inverse := linalg.Inverse(a)
		up, down := identity(d, size).BroadcastTo(slices.Concat(batch, []int{size, size})...).Copy(), identity(d, size).BroadcastTo(slices.Concat(batch, []int{size, size})...).Copy()
		for n := range 8 {
			requireNear(t, up, linalg.MatrixPower(a, n), 1e4*unit(d), n)
			requireNear(t, down, linalg.MatrixPower(a, -n), 1e4*unit(d), -n)
			up, down = up.MatMul(a), down.MatMul(inverse)
		}
	})
	fibonacci := nd.FromNested([][]int64{{1, 1}, {1, 0}})
	require.Equal(t, []float64{89, 55, 55, 34}, valuesOf(t, linalg.MatrixPower(fibonacci, 10)))
}

func TestPowersAreNewMemory(t *testing.T) {
	for n := range 2 {
		a := nd.Eye[float64](2)
		power := linalg.MatrixPower(a, n)
		nd.CopyInto(power, nd.Zeros[float64](2, 2))
		require.Equal(t, []float64{1, 0, 0, 1}, valuesOf(t, a))
	}
}

func TestKroneckerProductsHoldAllProducts(t *testing.T) {
	for _, shapes := range [][2][]int{{{2, 3}, {4, 5}}, {{3}, {2, 2}}, {{2, 2, 2}, {3}}, {{}, {2}}, {{0, 2}, {3, 3}}} {
		a, b := matrices(dtype.Float64, shapes[0]...), matrices(dtype.Float64, shapes[1]...)
		got := linalg.Kron(a, b)
		rank := got.Rank()
		m, n := slices.Concat(slices.Repeat([]int{1}, rank-a.Rank()), a.Shape()), slices.Concat(slices.Repeat([]int{1}, rank-b.Rank()), b.Shape())
		x, y, z := valuesOf(t, a), valuesOf(t, b), valuesOf(t, got)
		for i := range z {
			rest, inA, inB, stepA, stepB := i, 0, 0, 1, 1
			for axis := rank - 1; axis >= 0; axis-- {
				index := rest % (m[axis] * n[axis])
				rest /= m[axis] * n[axis]
				inA, inB = inA+index/n[axis]*stepA, inB+index%n[axis]*stepB
				stepA, stepB = stepA*m[axis], stepB*n[axis]
			}
			require.Equal(t, x[inA]*y[inB], z[i])
		}
	}
}

func TestVectorProductsArePerpendicular(t *testing.T) {
	a, b := matrices(dtype.Float64, 4, 3), matrices(dtype.Float64, 2, 1, 3)
	product := linalg.Cross(a, b, -1)
	require.Equal(t, []int{2, 4, 3}, product.Shape())
	zero := nd.Zeros[float64](2, 4)
	requireNear(t, zero, product.VecDot(a, -1), 1e-14)
	requireNear(t, zero, product.VecDot(b, -1), 1e-14)
	require.Equal(t, []float64{0, 0, 1}, valuesOf(t, linalg.Cross(nd.FromSlice([]int64{1, 0, 0}), nd.FromSlice([]int64{0, 1, 0}), 0)))
	requireNear(t, linalg.Cross(a, a.Roll(1, 0), 1), linalg.Cross(a.T(), a.Roll(1, 0).T(), 0).T().Copy(), 0)
}

func TestOuterProductsHoldAllProducts(t *testing.T) {
	require.Equal(t, []float64{3, 4, 6, 8}, valuesOf(t, linalg.Outer(nd.FromSlice([]float64{1, 2}), nd.FromSlice([]int64{3, 4}))))
	require.Equal(t, []int{0, 2}, linalg.Outer(nd.Zeros[float64](0), nd.Ones[float64](2)).Shape())
}

package random_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// vectorSize is how many vectors a distribution is judged by.
func vectorSize() int { return sampleSize() / 5 }

// columnsOf splits rows of n elements into columns.
func columnsOf(x []float64, n int) [][]float64 {
	columns := make([][]float64, n)
	for i, v := range x {
		columns[i%n] = append(columns[i%n], v)
	}
	return columns
}

// requireCovariance compares samples of two variables with their covariance, within five standard errors.
func requireCovariance(t testing.TB, x, y []float64, meanX, meanY, covariance float64) {
	t.Helper()
	n, first, second := float64(len(x)), 0.0, 0.0
	for i := range x {
		product := (x[i] - meanX) * (y[i] - meanY)
		first += product / n
		second += product * product / n
	}
	require.LessOrEqual(t, math.Abs(first-covariance), 5*math.Sqrt((second-first*first)/n)+1e-12*math.Abs(covariance))
}

func TestDirichletHasBetaMarginalsAndItsCovariances(t *testing.T) {
	t.Parallel()
	for i, concentrations := range [][]float64{{2, 3, 5}, {0.2, 0.3, 0.5}, {0.4, 7}, {1, 1, 1, 1, 1}, {300, 1, 0.5}} {
		t.Run(fmt.Sprint(concentrations), func(t *testing.T) {
			t.Parallel()
			n, total := len(concentrations), 0.0
			for _, a := range concentrations {
				total += a
			}
			columns := columnsOf(values[float64](t, random.Dirichlet(nd.FromSliceIn(seeded(uint64(i)), concentrations), vectorSize())), n)
			for row := range columns[0] {
				sum := 0.0
				for j := range n {
					sum += columns[j][row]
				}
				if math.Abs(sum-1) > 1e-15*float64(n) {
					require.Failf(t, "no unit", "row %d sums to %v", row, sum)
				}
			}
			for j, a := range concentrations {
				for k, b := range concentrations[:j] {
					requireCovariance(t, columns[j], columns[k], a/total, b/total, -a*b/total/total/(total+1))
				}
			}
			for j, a := range concentrations {
				requireExact(t, columns[j], moderate(distuv.Beta{Alpha: a, Beta: total - a}))
			}
		})
	}
}

func TestDirichletOfExtremeConcentrations(t *testing.T) {
	t.Parallel()
	for _, unit := range []float64{1e-30, 1e-300, 5e-324} {
		counts := columnsOf(values[float64](t, random.Dirichlet(nd.FromSliceIn(seeded(2), []float64{unit, 2 * unit, 5 * unit}), 16_000)), 3)
		observed := make([]float64, 3)
		for i := range counts[0] {
			require.Equal(t, 1.0, counts[0][i]+counts[1][i]+counts[2][i])
			for j := range observed {
				observed[j] += counts[j][i]
			}
		}
		requireChiSquare(t, []float64{2000, 4000, 10_000}, observed, unit)
	}
	for _, row := range columnsOf(values[float64](t, random.Dirichlet(nd.FromSliceIn(seeded(2), []float64{1e308, 1e308}), 100)), 2) {
		for _, x := range row {
			require.InDelta(t, 0.5, x, 1e-12)
		}
	}
	require.Equal(t, []float64{1, 1, 1}, values[float64](t, random.Dirichlet(nd.FromSliceIn(seeded(2), []float64{0.001}), 3)))
}

func TestEachRowOfConcentrationsIsADistribution(t *testing.T) {
	t.Parallel()
	rows := nd.FromSliceIn(seeded(3), []float64{1, 9, 9, 1}, 2, 2)
	x := random.Dirichlet(rows, 5000)
	require.Equal(t, []int{5000, 2, 2}, x.Shape())
	columns := columnsOf(values[float64](t, x), 4)
	for j, mean := range []float64{0.1, 0.9, 0.9, 0.1} {
		total := 0.0
		for _, v := range columns[j] {
			total += v
		}
		require.InDelta(t, mean, total/5000, 0.01)
	}
}

func TestMultivariateNormalHasItsMarginalsAndCovariances(t *testing.T) {
	t.Parallel()
	for i, covariance := range [][]float64{
		{4, 1, -2, 0, 1, 3, 0.5, 1e-3, -2, 0.5, 9, 0, 0, 1e-3, 0, 1e-4},
		{1, 2, 3, 4, 2, 4, 6, 8, 3, 6, 9, 12, 4, 8, 12, 16}, // of rank one
		{2, 1, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5},    // a variance of zero
		{1, 0.9, 0.9, 0.9, 0.9, 1, 0.9, 0.9, 0.9, 0.9, 1, 0.9, 0.9, 0.9, 0.9, 1},
		{1e-30, 0, 0, 5e-16, 0, 1e30, 0, 0, 0, 0, 1, 0, 5e-16, 0, 0, 1}, // far apart
	} {
		t.Run(fmt.Sprint(covariance), func(t *testing.T) {
			t.Parallel()
			env, mean := seeded(uint64(i)), []float64{1, -2, 0.5, 1e3}
			if covariance[0] < 1e-20 {
				mean = make([]float64, 4)
			}
			columns := columnsOf(values[float64](t, random.MultivariateNormal(
				nd.FromSliceIn(env, mean), nd.FromSliceIn(env, covariance, 4, 4), vectorSize()/100, 100)), 4)
			for j := range mean {
				for k := range j {
					requireCovariance(t, columns[j], columns[k], mean[j], mean[k], covariance[4*j+k])
				}
			}
			for j := range mean {
				if variance := covariance[5*j]; variance > 0 {
					requireExact(t, columns[j], moderate(distuv.Normal{Mu: mean[j], Sigma: math.Sqrt(variance)}))
				} else {
					require.Equal(t, []float64{mean[j], mean[j]}, columns[j][:2])
				}
			}
		})
	}
}

func TestVectorsOfASingularCovarianceLieInItsSpace(t *testing.T) {
	t.Parallel()
	env := seeded(4)
	x := values[float64](t, random.MultivariateNormal(nd.FromSliceIn(env, []float64{0, 0, 1}), nd.FromSliceIn(env, []float64{1, 2, 3, 2, 4, 6, 3, 6, 9}, 3, 3), 100))
	for ; len(x) > 0; x = x[3:] {
		require.InDelta(t, 2*x[0], x[1], 1e-14)
		require.InDelta(t, 3*x[0]+1, x[2], 1e-14)
	}
}

// TestTheFactorOfACovarianceGivesItBack has matrices of every rank.
func TestTheFactorOfACovarianceGivesItBack(t *testing.T) {
	t.Parallel()
	for _, d := range []dtype.DType{dtype.Float64, dtype.Float32, dtype.BFloat16, dtype.Float16} {
		unit := map[dtype.DType]float64{dtype.Float64: 0x1p-52, dtype.Float32: 0x1p-23, dtype.BFloat16: 0x1p-7, dtype.Float16: 0x1p-10}[d]
		for _, n := range []int{1, 2, 7, 30} {
			for rank := range n + 1 {
				b := random.Normal(seeded(uint64(n)), dtype.Float64, 0, 1, n, max(rank, 1)).MulScalar(min(1, float64(rank)))
				c := b.MatMul(b.Transpose()).Cast(d)
				factor := random.CovarianceFactor(c)
				require.Equal(t, d, factor.DType())
				f := factor.Cast(dtype.Float64)
				got, want := values[float64](t, f.MatMul(f.Transpose())), floatsOf(t, c)
				for i, v := range want {
					deviations := math.Sqrt(want[i/n*(n+1)] * want[i%n*(n+1)])
					require.InDelta(t, v, got[i], 8*float64(n)*unit*deviations, "%v %d rank %d at %d", d, n, rank, i)
				}
				if d == dtype.Float64 && rank < n {
					for i, v := range values[float64](t, factor) {
						require.True(t, i%n < rank || v == 0, "column %d of rank %d", i%n, rank)
					}
				}
			}
		}
	}
}

func TestContentsThatAreNotLegalAreErrorsOfTheResult(t *testing.T) {
	t.Parallel()
	vector := func(x ...float64) *nd.Array { return nd.FromSliceIn(seeded(1), x) }
	matrix := func(x ...float64) *nd.Array {
		return nd.FromSliceIn(seeded(1), x, int(math.Sqrt(float64(len(x)))), int(math.Sqrt(float64(len(x)))))
	}
	nan, inf := math.NaN(), math.Inf(1)
	for text, x := range map[string]*nd.Array{
		"concentration at index (1,) is 0 (legal: a finite number above 0)":     random.Dirichlet(vector(1, 0, 2), 5),
		"concentration at index (0,) is -1 (legal: a finite number above 0)":    random.Dirichlet(vector(-1, 1, 2), 0),
		"concentration at index (2,) is NaN (legal: a finite number above 0)":   random.Dirichlet(vector(1, 1, nan)),
		"concentration at index (0,) is +Inf (legal: a finite number above 0)":  random.Dirichlet(vector(inf, 1)),
		"variance -1 at index (1,1) (legal: a finite number, at least 0)":       random.MultivariateNormal(vector(0, 0), matrix(1, 0, 0, -1), 5),
		"variance NaN at index (0,0)":                                           random.MultivariateNormal(vector(0, 0), matrix(nan, 0, 0, 1), 5),
		"variance +Inf at index (1,1)":                                          random.MultivariateNormal(vector(0, 0), matrix(1, 0, 0, inf), 0),
		"covariances NaN at index (1,0) and 0 at index (0,1)":                   random.MultivariateNormal(vector(0, 0), matrix(1, 0, nan, 1), 5),
		"covariances 0 at index (1,0) and -Inf at index (0,1)":                  random.MultivariateNormal(vector(0, 0), matrix(1, -inf, 0, 1), 5),
		"not symmetric: 0.5 at index (1,0), 0.25 at index (0,1)":                random.MultivariateNormal(vector(0, 0), matrix(1, 0.25, 0.5, 1), 5),
		"not positive semidefinite: 2 at index (1,0) between variances 1 and 1": random.MultivariateNormal(vector(0, 0), matrix(1, 2, 2, 1), 5),
		"not positive semidefinite: 1 at index (1,0) between variances 1 and 0": random.CovarianceFactor(matrix(0, 1, 1, 1)),
		"not positive semidefinite: the part of it":                             random.CovarianceFactor(matrix(1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1)),
	} {
		err := x.Wait(context.Background())
		require.ErrorIs(t, err, fault.ErrParameter, text)
		require.ErrorContains(t, err, text)
		require.ErrorContains(t, err, "vectors_test.go:")
	}
}

func TestMistakenShapesOfVectorsPanic(t *testing.T) {
	t.Parallel()
	zeros := func(shape ...int) *nd.Array { return nd.ZerosIn(seeded(1), dtype.Float64, shape...) }
	for _, call := range []func(){
		func() { random.Dirichlet(zeros()) }, func() { random.Dirichlet(zeros(0)) }, func() { random.Dirichlet(zeros(2), -1) },
		func() { random.MultivariateNormal(zeros(2), zeros(3, 3)) }, func() { random.MultivariateNormal(zeros(2), zeros(2)) },
		func() { random.MultivariateNormal(zeros(2, 1), zeros(2, 2)) }, func() { random.MultivariateNormal(zeros(2), zeros(2, 2), -1) },
		func() { random.MultivariateNormal(zeros(), zeros(0, 0)) }, func() { random.CovarianceFactor(zeros(2, 3)) }, func() { random.CovarianceFactor(zeros()) },
		func() { random.MultivariateNormalFactored(zeros(2), zeros(3, 2)) },
	} {
		err := nd.Try(call)
		require.ErrorIs(t, err, fault.ErrShape)
		require.ErrorContains(t, err, "vectors_test.go:")
	}
	for _, call := range []func(){
		func() { random.Dirichlet(nil) }, func() { random.MultivariateNormal(nil, zeros(1, 1)) }, func() { random.MultivariateNormal(zeros(1), nil) },
		func() { random.MultivariateNormalFactored(zeros(1), nil) }, func() { random.CovarianceFactor(nil) },
	} {
		require.ErrorIs(t, nd.Try(call), fault.ErrMisuse)
	}
}

// TestVectorsOfAnyFloatType compares with the vectors of float64 of the same seed.
func TestVectorsOfAnyFloatType(t *testing.T) {
	t.Parallel()
	for _, d := range []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
		draw := func(d dtype.DType) []float64 {
			a := func(shape ...int) *nd.Array {
				count := 1
				for _, n := range shape {
					count *= n
				}
				return nd.FromSliceIn(seeded(5), []float64{2, 0.5, 0.5, 2}[:count], shape...).Cast(d)
			}
			all := []float64{}
			for _, x := range []*nd.Array{
				random.Dirichlet(a(2, 2), 50), random.MultivariateNormal(a(2), a(2, 2), 50), random.MultivariateNormalFactored(a(2), a(2, 2), 50),
				random.MultivariateNormalFactored(a(2), a(2, 1), 50),
			} {
				require.Equal(t, d, x.DType())
				all = append(all, floatsOf(t, x)...)
			}
			return all
		}
		precision := map[dtype.DType]float64{dtype.Float64: 0, dtype.Float32: 1e-6, dtype.BFloat16: 0x1p-7, dtype.Float16: 0x1p-10}[d]
		got := draw(d)
		for i, v := range draw(dtype.Float64) {
			require.InDelta(t, v, got[i], precision*(2+math.Abs(v)))
		}
	}
	require.Equal(t, dtype.Float64, random.Dirichlet(nd.FromSliceIn(seeded(5), []int64{1, 2}), 3).DType())
}

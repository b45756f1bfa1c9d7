package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// covarianceFactor computes Outputs[0], a matrix F with F·Fᵀ = C for the covariance C, Inputs[0], by Cholesky's method with
// the largest pivot (Higham, "Analysis of the Cholesky decomposition of a semi-definite matrix", 1990) on the correlations.
// Columns from the rank of C on are zero. Correlations that are off by no more than Scalars[0], or 4n units of rounding where
// that is 0, count as right.
func covarianceFactor[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	size := a.Inputs[0].Shape[0]
	elements := contiguous[T](a.Inputs[0])
	c := correlations{size: size, matrix: make([]float64, size*size), tolerance: a.Scalars[0]}
	if c.tolerance == 0 {
		c.tolerance = 4 * float64(size) * epsilon[T]()
	}
	for i, v := range elements {
		c.matrix[i] = float64(v)
	}
	if err := c.normalise(); err != nil {
		return err
	}
	factor := make([]T, size*size)
	done := make([]bool, size)
	for k := range size {
		pivot := c.largest(done)
		if pivot < 0 {
			break
		}
		c.eliminate(t, pivot, done, func(i int, v float64) { factor[i*size+k] = T(float64(v * c.deviations[i])) })
	}
	if err := c.checkRest(done); err != nil {
		return err
	}
	if size > 0 {
		newOrderedNest(a.Outputs[0]).scatter(unsafe.Pointer(&factor[0]), 0, 0, len(factor))
	}
	return nil
}

var _ = register("covariance_factor",
	entry{dtype.Float32.String(), covarianceFactor[float32]}, entry{dtype.Float64.String(), covarianceFactor[float64]})

// correlations is a covariance matrix divided by the deviations of its rows and columns.
type correlations struct {
	size       int
	matrix     []float64 // row-major; of the parts eliminated so far only the rest
	deviations []float64
	tolerance  float64
}

func (c *correlations) at(i, j int) float64 { return c.matrix[i*c.size+j] }

// normalise checks a covariance matrix and divides it by its deviations; a variance of zero leaves zeros.
func (c *correlations) normalise() error {
	fail := func(format string, arguments ...any) error {
		return dataErrorf(fault.ErrParameter, format, arguments...)
	}
	c.deviations = make([]float64, c.size)
	for i := range c.deviations {
		variance := c.at(i, i)
		if !(variance >= 0 && variance <= math.MaxFloat64) {
			return fail("variance %v at index (%d,%d) (legal: a finite number, at least 0)", variance, i, i)
		}
		c.deviations[i] = math.Sqrt(variance)
	}
	for i := range c.size {
		for j := range i {
			upper, lower := c.at(j, i), c.at(i, j)
			if off := upper - lower; off-off != 0 {
				return fail("covariances %v at index (%d,%d) and %v at index (%d,%d) (legal: finite numbers)", lower, i, j, upper, j, i)
			}
			product := float64(c.deviations[i] * c.deviations[j])
			if !(math.Abs(upper-lower) <= float64(c.tolerance*product)) {
				return fail("the covariance is not symmetric: %v at index (%d,%d), %v at index (%d,%d)", lower, i, j, upper, j, i)
			}
			correlation := 0.0
			if product > 0 {
				correlation = (lower/2 + upper/2) / c.deviations[i] / c.deviations[j]
			}
			if product == 0 && lower != 0 || !(math.Abs(correlation) <= 1+c.tolerance) {
				return fail("the covariance is not positive semidefinite: %v at index (%d,%d) between variances %v and %v", lower, i, j, c.at(i, i), c.at(j, j))
			}
			c.matrix[i*c.size+j], c.matrix[j*c.size+i] = correlation, correlation
		}
	}
	for i, d := range c.deviations {
		c.matrix[i*c.size+i] = 0
		if d > 0 {
			c.matrix[i*c.size+i] = 1
		}
	}
	return nil
}

// largest returns the row with the largest pivot, the first of those that are equal; -1 if no pivot is left.
func (c *correlations) largest(done []bool) int {
	pivot, value := -1, c.tolerance
	for i := range c.size {
		if v := c.at(i, i); !done[i] && v > value {
			pivot, value = i, v
		}
	}
	return pivot
}

// eliminate takes what follows from a row off the rest, and gives the column of the factor to store.
func (c *correlations) eliminate(t *parallel.Thread, pivot int, done []bool, store func(i int, v float64)) {
	root := math.Sqrt(c.at(pivot, pivot))
	done[pivot] = true
	store(pivot, root)
	column := make([]float64, c.size)
	for i := range c.size {
		if !done[i] {
			column[i] = c.at(i, pivot) / root
			store(i, column[i])
		}
	}
	t.ForCost(c.size, float64(c.size), func(_ *parallel.Thread, lo, hi int) {
		for i := lo; i < hi; i++ {
			if column[i] == 0 {
				continue
			}
			row := c.matrix[i*c.size : (i+1)*c.size]
			for j, v := range column {
				row[j] -= float64(column[i] * v)
			}
		}
	})
}

// checkRest fails if what is left is more than rounding errors.
func (c *correlations) checkRest(done []bool) error {
	for i := range c.size {
		for j := range c.size {
			if !done[i] && !done[j] && math.Abs(c.at(i, j)) > 2*c.tolerance {
				return dataErrorf(fault.ErrParameter, "the covariance is not positive semidefinite: the part of it that belongs to index (%d,%d) "+
					"cannot be factored (correlation %.3g left)", i, j, c.at(i, j))
			}
		}
	}
	return nil
}

// epsilon returns the distance of the Ts around 1.
func epsilon[T dtype.Float]() float64 {
	limits, _ := dtype.Of[T]().FloatLimits()
	return limits.Epsilon
}

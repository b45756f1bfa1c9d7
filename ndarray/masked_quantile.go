package ndarray

import (
	"math"

	"github.com/weft-nd/weft/dtype"
)

// Quantile returns the number below which the part q, from 0 to 1, of what counts along axis lies, with the axis removed; NaN
// if nothing counts. Otherwise it is as Array.Quantile.
func (m Masked) Quantile(q float64, axis int) *Array { return m.quantile("Masked.Quantile", q, axis) }

// Median returns the middle element of those that count along axis, or the mean of the two in the middle, with the axis
// removed; NaN if none counts.
func (m Masked) Median(axis int) *Array { return m.quantile("Masked.Median", 0.5, axis) }

// Quantiles returns the Quantile for each of qs, along a new first axis. The elements are sorted once for all.
func (m Masked) Quantiles(qs []float64, axis int) *Array {
	const operator = "Masked.Quantiles"
	m.check(operator)
	defer named(operator, m.array)
	var made temporaries
	s := m.sorted(operator, axis, &made, qs...)
	if len(qs) == 0 {
		shape := append([]int{0}, s.counts.Squeeze(s.axis).Shape()...)
		return made.discard(ZerosIn(m.array.Env(), s.array.DType(), shape...), m.array, m.mask)
	}
	parts := make([]*Array, len(qs))
	for i, q := range qs {
		parts[i] = made.add(s.between(q, &made))
	}
	return made.discard(Stack(0, parts...), m.array, m.mask)
}

func (m Masked) quantile(operator string, q float64, axis int) *Array {
	m.check(operator)
	defer named(operator, m.array)
	var made temporaries
	return made.discard(m.sorted(operator, axis, &made, q).between(q, &made), m.array, m.mask)
}

// sortedMasked are the elements of a Masked in order along an axis, those that do not count, as NaN, behind those that do.
type sortedMasked struct {
	array  *Array
	counts *Array // of those that count, as float64, the axis kept
	axis   int
}

func (m Masked) sorted(operator string, axis int, made *temporaries, qs ...float64) sortedMasked {
	a := m.array.precise(made)
	given := made.add(Where(m.mask, a, WeakIn(a.Env(), math.NaN())))
	sorted, along := given.sorted(operator, axis, made, qs...)
	counts := made.add(made.add(m.mask.SumKeepDims(along)).Cast(dtype.Float64))
	return sortedMasked{sorted, counts, along}
}

// between returns the quantile q, NaN where an element that counts is, by the formula of Array.between.
func (s sortedMasked) between(q float64, made *temporaries) *Array {
	last := made.add(s.counts.SubScalar(1))
	position := made.add(last.MulScalar(q))
	below := made.add(position.Floor())
	part := made.add(position.Sub(below))
	lower, upper, end := s.at(below, made), s.at(made.add(position.Ceil()), made), s.at(last, made)
	weighted := func(x, weight *Array) *Array { return made.add(x.Mul(made.add(weight.Cast(s.array.DType())))) }
	ahead := made.add(part.SubScalar(1))
	isUpper := made.add(part.GreaterEqualScalar(0.5))
	difference := made.add(upper.Sub(lower))
	fromNearer := made.add(made.add(Where(isUpper, upper, lower)).Add(weighted(difference, made.add(Where(isUpper, ahead, part)))))
	mixed := made.add(weighted(lower, made.add(ahead.Neg())).Add(weighted(upper, part)))
	result := made.add(Where(made.add(difference.IsFinite()), fromNearer, mixed))
	result = made.add(Where(made.add(part.GreaterScalar(0)), result, lower))
	return Where(made.add(end.Equal(end)), result, end).Squeeze(s.axis)
}

// at returns the elements at positions, of float64; the first, which is NaN, where there are none.
func (s sortedMasked) at(positions *Array, made *temporaries) *Array {
	indices := made.add(made.add(positions.MaximumScalar(0)).Cast(dtype.Int64))
	return made.add(s.array.TakeAlongAxis(indices, s.axis))
}

package ops

import (
	"math"
	"math/big"
	"slices"

	"github.com/weft-nd/weft/dtype"
)

// fold reduces elements in row-major order to a result and what its error is measured against.
type fold func(x []float64) (value, scale float64)

// grouped returns the elements that each result of a reduction is made of, and the shape of the results.
func grouped(x array, p ReduceParams) (shape []int, groups [][]float64) {
	isReduced := func(axis int) bool {
		return len(p.Axes) == 0 || slices.Contains(p.Axes, axis) || slices.Contains(p.Axes, axis-len(x.shape))
	}
	full := slices.Clone(x.shape)
	for axis := range full {
		if isReduced(axis) {
			full[axis] = 1
		}
	}
	kept := newArray(x.dtype, full)
	groups = make([][]float64, len(kept.values))
	own, all := make([]int, len(full)), make([]bool, len(full))
	for axis := range all {
		all[axis] = isReduced(axis)
	}
	eachIndex(x.shape, func(number int, index []int) {
		for axis, i := range index {
			if own[axis] = i; all[axis] {
				own[axis] = 0
			}
		}
		at := kept.number(own)
		groups[at] = append(groups[at], x.values[number])
	})
	shape = []int{}
	for axis, n := range full {
		if p.KeepDims || !isReduced(axis) {
			shape = append(shape, n)
		}
	}
	return shape, groups
}

// reducedTo is the reference of a reduction with results of the type that result gives.
func reducedTo(result func(dtype.DType) dtype.DType, f fold) func([]array, any) []array {
	return func(in []array, params any) []array { return reducedBy(in[0], params.(ReduceParams), result, f) }
}

func reducedBy(x array, p ReduceParams, result func(dtype.DType) dtype.DType, f fold) []array {
	shape, groups := grouped(x, p)
	out := newArray(result(x.dtype), shape)
	out.scale = make([]float64, len(groups))
	for i, x := range groups {
		out.values[i], out.scale[i] = f(x)
	}
	return []array{out}
}

func toSame(d dtype.DType) dtype.DType { return d }

func toIndex(dtype.DType) dtype.DType { return dtype.Int64 }

// referenceSum is exact but for one rounding.
func referenceSum(x []float64) (value, scale float64) {
	sum := new(big.Float).SetPrec(300)
	for _, v := range x {
		sum.Add(sum, big.NewFloat(v))
		scale += math.Abs(v)
	}
	value, _ = sum.Float64()
	return value, scale
}

// products returns the products of the elements up to each; of integers those of 64 bits, which wrap round.
func products(d dtype.DType, x []float64) []float64 {
	all, product, whole := make([]float64, len(x)), 1.0, int64(1)
	for i, v := range x {
		product, whole = product*v, whole*int64(v)
		switch {
		case d.IsFloat():
			all[i] = product
		case d.Kind() == dtype.KindUnsigned:
			all[i] = float64(uint64(whole))
		default:
			all[i] = float64(whole)
		}
	}
	return all
}

func referenceProduct(in []array, params any) []array {
	return reducedBy(in[0], params.(ReduceParams), toWide, func(x []float64) (value, scale float64) {
		if len(x) == 0 {
			return 1, 0
		}
		return products(in[0].dtype, x)[len(x)-1], 0
	})
}

func referenceCumProd(in []array, params any) []array {
	d := in[0].dtype
	return alongLine(params.(ScanParams), in, toWide(d), 1, func(lines [][]float64, _ []float64) []float64 { return products(d, lines[0]) })
}

func referenceMean(x []float64) (value, scale float64) {
	value, scale = referenceSum(x)
	return value / float64(len(x)), scale / float64(len(x))
}

func referenceMax(x []float64) (value, scale float64) { return slices.Max(x), 0 }

func referenceMin(x []float64) (value, scale float64) { return slices.Min(x), 0 }

func referenceArgmax(x []float64) (value, scale float64) {
	return float64(slices.Index(x, slices.Max(x))), 0
}

func referenceArgmin(x []float64) (value, scale float64) {
	return float64(slices.Index(x, slices.Min(x))), 0
}

func referenceNonzero(x []float64) (value, scale float64) {
	for _, v := range x {
		if v != 0 {
			value++
		}
	}
	return value, 0
}

func referenceAny(x []float64) (value, scale float64) {
	count, _ := referenceNonzero(x)
	return min(count, 1), 0
}

func referenceAll(x []float64) (value, scale float64) {
	if count, _ := referenceNonzero(x); int(count) == len(x) {
		return 1, 0
	}
	return 0, 0
}

func magnitudes(x []float64) []float64 {
	all := make([]float64, len(x))
	for i, v := range x {
		all[i] = math.Abs(v)
	}
	return all
}

func referenceAsum(x []float64) (value, scale float64) { return referenceSum(magnitudes(x)) }

func referenceSumsq(x []float64) (value, scale float64) {
	squares := make([]float64, len(x))
	for i, v := range x {
		squares[i] = v * v
	}
	return referenceSum(squares)
}

// referenceSpread goes over all elements twice. Errors are those of sums of squares.
func referenceSpread(root bool) func([]array, any) []array {
	return func(in []array, params any) []array {
		p := params.(SpreadParams)
		return reducedBy(in[0], ReduceParams{p.Axes, p.KeepDims}, floatOf, func(x []float64) (value, scale float64) {
			mean, _ := referenceMean(x)
			for _, v := range x {
				value += (v - mean) * (v - mean)
			}
			if value /= float64(len(x)) - p.Correction; p.Correction >= float64(len(x)) {
				value = math.NaN()
			}
			if root {
				value = math.Sqrt(value)
			}
			return value, 0
		})
	}
}

func referenceLogSumExp(x []float64) (value, scale float64) {
	if len(x) == 0 {
		return math.Inf(-1), 0
	}
	largest := slices.Max(x)
	for _, v := range x {
		value += math.Exp(v - largest)
	}
	return largest + math.Log(value), max(math.Abs(largest), 1)
}

func referenceNorm(in []array, params any) []array {
	p := params.(NormParams)
	return reducedBy(in[0], ReduceParams{p.Axes, p.KeepDims}, floatOf, func(x []float64) (value, scale float64) {
		switch {
		case p.Order == 0:
			return referenceNonzero(x)
		case math.IsInf(p.Order, 1):
			return slices.Max(magnitudes(x)), 0
		case math.IsInf(p.Order, -1):
			return slices.Min(magnitudes(x)), 0
		}
		for _, v := range x {
			value += math.Pow(math.Abs(v), p.Order)
		}
		return math.Pow(value, 1/p.Order), 0
	})
}

// alongLine is the reference of an operator that replaces each line along an axis, of one or more operands.
func alongLine(p ScanParams, in []array, result dtype.DType, empty float64, f func(lines [][]float64, scale []float64) []float64) []array {
	x := in[0]
	axis := (p.Axis + len(x.shape)) % len(x.shape)
	out := newArray(result, x.shape)
	out.scale = make([]float64, len(out.values))
	eachIndex(x.shape, func(_ int, index []int) {
		if index[axis] != 0 {
			return
		}
		own, count := slices.Clone(index), x.shape[axis]
		numbers, lines := make([]int, count), make([][]float64, len(in))
		for i := range numbers {
			own[axis] = i
			if p.Reverse {
				own[axis] = count - 1 - i
			}
			numbers[i] = x.number(own)
			for j, a := range in {
				lines[j] = append(lines[j], a.values[numbers[i]])
			}
		}
		scale := make([]float64, count)
		values := f(lines, scale)
		if p.Exclusive {
			values, scale = append([]float64{empty}, values[:count-1]...), append([]float64{0}, scale[:count-1]...)
		}
		for i, number := range numbers {
			out.values[number], out.scale[number] = values[i], scale[i]
		}
	})
	return []array{out}
}

func cumulative(result func(dtype.DType) dtype.DType, empty float64, join func(a, b float64) float64) func([]array, any) []array {
	return func(in []array, params any) []array {
		d, first := result(in[0].dtype), empty
		if math.IsInf(empty, 0) && !d.IsFloat() {
			first = limitOf(d, empty < 0)
		}
		return alongLine(params.(ScanParams), in, d, first, func(lines [][]float64, scale []float64) []float64 {
			all, total, sum := []float64{}, empty, 0.0
			for i, v := range lines[0] {
				total = join(total, v)
				sum += math.Abs(v)
				all, scale[i] = append(all, total), max(sum, math.Abs(total))
			}
			return all
		})
	}
}

// limitOf returns the least or the largest integer of a type.
func limitOf(d dtype.DType, least bool) float64 {
	bits := float64(8 * d.Size())
	switch {
	case d == dtype.Bool && least || d.Kind() == dtype.KindUnsigned && least:
		return 0
	case d == dtype.Bool:
		return 1
	case d.Kind() == dtype.KindUnsigned:
		return math.Exp2(bits) - 1
	case least:
		return -math.Exp2(bits - 1)
	}
	return math.Exp2(bits-1) - 1
}

func referenceRecurrence(in []array, params any) []array {
	return alongLine(params.(ScanParams), in, in[1].dtype, 0, func(lines [][]float64, scale []float64) []float64 {
		all, y, size := []float64{}, 0.0, 0.0
		for i, factor := range lines[0] {
			y = factor*y + lines[1][i]
			size = math.Abs(factor)*size + math.Abs(lines[1][i])
			all, scale[i] = append(all, y), size
		}
		return all
	})
}

var (
	badScans = []Sample{
		{Shapes: [][]int{{2, 3}}, Params: ScanParams{Axis: 2}}, {Shapes: [][]int{{2, 3}}, Params: ScanParams{Axis: -3}}, {Shapes: [][]int{{}}, Params: ScanParams{}},
	}
	badSpreads = []Sample{
		{Shapes: [][]int{{2, 3}}, Params: SpreadParams{Axes: []int{2}}}, {Shapes: [][]int{{2, 3}}, Params: SpreadParams{Axes: []int{1, -1}}},
	}
	badNorms = []Sample{
		{Shapes: [][]int{{2, 3}}, Params: NormParams{Axes: []int{2}}}, {Shapes: [][]int{{2, 3}}, Params: NormParams{Order: math.NaN()}},
		{Shapes: [][]int{{0, 3}}, Params: NormParams{Axes: []int{0}, Order: -1}}, {Shapes: [][]int{{0}}, Params: NormParams{Order: math.Inf(-1)}},
	}
)

package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
)

// exponentials is a sum of exponential functions, sum · exp(shift).
type exponentials struct{ shift, sum float64 }

// ExponentialPartial is the size of a partial result of logsumexp in bytes, for ReductionScratch.
const ExponentialPartial = int(unsafe.Sizeof(exponentials{}))

func joinExponentials(a, b exponentials) exponentials {
	switch {
	case a.shift != a.shift || b.sum == 0:
		return a
	case b.shift != b.shift || a.sum == 0:
		return b
	case a.shift < b.shift:
		return exponentials{b.shift, float64(a.sum*calculus.ExpFloat64(a.shift-b.shift)) + b.sum}
	case a.shift > b.shift:
		return exponentials{a.shift, a.sum + float64(b.sum*calculus.ExpFloat64(b.shift-a.shift))}
	}
	return exponentials{a.shift, a.sum + b.sum}
}

// exponentiated reduces elements T to sums of exponential functions.
type exponentiated[T dtype.Float] struct {
	largest, sum *total[T]
	exp          func(dst, x []T)
	subtract     func() *inner
}

func exponentiate[T dtype.Float](largest, sum *total[T], exp func(dst, x []T)) fold[T, exponentials] {
	e := exponentiated[T]{largest, sum, exp, loopNamed("sub/" + dtype.Of[T]().String())}
	return fold[T, exponentials]{join: joinExponentials, leaf: e.leaf, leaves: e.leaves, run: e.run}
}

// leaf has the largest element as its shift, so that nothing overflows.
func (e exponentiated[T]) leaf(w *workspace, x []T, _ int) exponentials {
	shift := e.largest.leaf(w, x, 0)
	shifted := slice[T](unsafe.Pointer(&w.mapped), len(x))
	e.shift(w, shifted, x, shift)
	e.exp(shifted, shifted)
	return exponentialsOf(shift, e.sum.leaf(w, shifted, 0))
}

// leaves makes of many leaves at a time what leaf makes of each.
func (e exponentiated[T]) leaves(w *workspace, dst []exponentials, x []T) {
	shifted, shifts := slice[T](unsafe.Pointer(&w.totals), len(x)), [loaded / leaf]T{}
	count := copy(shifts[:], e.largest.leaves(w, x))
	for i, shift := range shifts[:count] {
		e.shift(w, shifted[i*leaf:][:leaf], x[i*leaf:][:leaf], shift)
	}
	e.exp(shifted, shifted)
	sums, bytes := slice[T](unsafe.Pointer(&w.mapped), count), leaf*int(unsafe.Sizeof(x[0]))
	for i := 0; i < count; i += treesAtOnce {
		e.sum.subtrees(w, sums[i:min(i+treesAtOnce, count)], unsafe.Pointer(&shifted[i*leaf]), bytes, leaf)
	}
	for i := range dst {
		dst[i] = exponentialsOf(shifts[i], sums[i])
	}
}

// run joins leaves, many at a time.
func (e exponentiated[T]) run(w *workspace, x []T, _ int) exponentials {
	var s stack[exponentials]
	var results [loaded / leaf]exponentials
	for len(x) >= leaf {
		count := min(len(x)/leaf, len(results))
		e.leaves(w, results[:count], x[:count*leaf])
		for _, result := range results[:count] {
			s.push(result, joinExponentials)
		}
		x = x[count*leaf:]
	}
	if len(x) > 0 {
		s.push(e.leaf(w, x, 0), joinExponentials)
	}
	return s.total(joinExponentials)
}

// shift subtracts shift from the elements of x, at most a leaf.
func (e exponentiated[T]) shift(w *workspace, dst, x []T, shift T) {
	subtract := e.subtract().runner()
	if subtract.vector == nil || len(x) < subtract.least {
		for i, v := range x {
			dst[i] = v - shift
		}
		return
	}
	value := (*T)(unsafe.Pointer(&w.lanes))
	*value = shift
	subtract.run(len(x), pointers{unsafe.Pointer(&dst[0]), unsafe.Pointer(&x[0]), unsafe.Pointer(value)}, 1<<1)
}

// exponentialsOf is those of a leaf with the given largest element, and the sum of the exponential functions of the others less that.
func exponentialsOf[T dtype.Float](largest, sum T) exponentials {
	switch shift := float64(largest); {
	case math.IsInf(shift, -1):
		return exponentials{shift, 0}
	case math.IsInf(shift, 1) || shift != shift:
		return exponentials{shift, 1}
	default:
		return exponentials{shift, float64(sum)}
	}
}

func logarithmOf(e exponentials) float64 { return e.shift + calculus.LogFloat64(e.sum) }

func exponentiating[T dtype.Float, D any](d dtype.DType, f fold[T, exponentials], load loader[T], round func(float64) D) entry {
	return entry{d.String(), reducer[T, exponentials]{f, load, storing(func(e exponentials, _ int) D { return round(logarithmOf(e)) })}.kernel}
}

// logsumexp of integers is computed in float64.
var _ = func() struct{} {
	single, double := exponentiate(maximum32, sum32, calculus.Exp.Float32), exponentiate(maximum64, sum64, calculus.Exp.Float64)
	return register("logsumexp",
		exponentiating(dtype.Float16, single, loadF16, roundF16), exponentiating(dtype.BFloat16, single, loadBF16, roundBF16),
		exponentiating(dtype.Float32, single, nil, round32), exponentiating(dtype.Float64, double, nil, itself[float64]),
		exponentiating(dtype.Bool, double, loadWider[float64, uint8](), itself[float64]),
		exponentiating(dtype.Int8, double, loadWider[float64, int8](), itself[float64]), exponentiating(dtype.Int16, double, loadWider[float64, int16](), itself[float64]),
		exponentiating(dtype.Int32, double, loadWider[float64, int32](), itself[float64]), exponentiating(dtype.Int64, double, loadWider[float64, int64](), itself[float64]),
		exponentiating(dtype.Uint8, double, loadWider[float64, uint8](), itself[float64]), exponentiating(dtype.Uint16, double, loadWider[float64, uint16](), itself[float64]),
		exponentiating(dtype.Uint32, double, loadWider[float64, uint32](), itself[float64]), exponentiating(dtype.Uint64, double, loadWider[float64, uint64](), itself[float64]))
}()

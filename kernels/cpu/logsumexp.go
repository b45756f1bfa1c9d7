package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
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
		return exponentials{b.shift, float64(a.sum*expFloat64(a.shift-b.shift)) + b.sum}
	case a.shift > b.shift:
		return exponentials{a.shift, a.sum + float64(b.sum*expFloat64(b.shift-a.shift))}
	}
	return exponentials{a.shift, a.sum + b.sum}
}

// exponentialsOf is the fold of exponentials. The shift of a leaf is its largest element, so that nothing overflows.
func exponentialsOf[T dtype.Float](largest, sum *total[T], exp func(dst, x []T)) fold[T, exponentials] {
	return fold[T, exponentials]{join: joinExponentials, leaf: func(w *workspace, x []T, _ int) exponentials {
		shift := largest.leaf(w, x, 0)
		switch wide := float64(shift); {
		case math.IsInf(wide, -1):
			return exponentials{wide, 0}
		case math.IsInf(wide, 1) || wide != wide:
			return exponentials{wide, 1}
		}
		shifted := slice[T](unsafe.Pointer(&w.mapped), len(x))
		for i, v := range x {
			shifted[i] = v - shift
		}
		exp(shifted, shifted)
		return exponentials{float64(shift), float64(sum.leaf(w, shifted, 0))}
	}}
}

func logarithmOf(e exponentials) float64 { return e.shift + logFloat64(e.sum) }

func exponentiating[T dtype.Float, D any](d dtype.DType, f fold[T, exponentials], load loader[T], round func(float64) D) entry {
	return entry{d.String(), reducer[T, exponentials]{f, load, storing(func(e exponentials, _ int) D { return round(logarithmOf(e)) })}.kernel}
}

// logsumexp of integers is computed in float64.
var _ = func() struct{} {
	single, double := exponentialsOf(maximum32, sum32, exp32), exponentialsOf(maximum64, sum64, exp64)
	return register("logsumexp",
		exponentiating(dtype.Float16, single, loadF16, roundF16), exponentiating(dtype.BFloat16, single, loadBF16, roundBF16),
		exponentiating(dtype.Float32, single, nil, round32), exponentiating(dtype.Float64, double, nil, itself[float64]),
		exponentiating(dtype.Bool, double, loadWider[float64, uint8](), itself[float64]),
		exponentiating(dtype.Int8, double, loadWider[float64, int8](), itself[float64]), exponentiating(dtype.Int16, double, loadWider[float64, int16](), itself[float64]),
		exponentiating(dtype.Int32, double, loadWider[float64, int32](), itself[float64]), exponentiating(dtype.Int64, double, loadWider[float64, int64](), itself[float64]),
		exponentiating(dtype.Uint8, double, loadWider[float64, uint8](), itself[float64]), exponentiating(dtype.Uint16, double, loadWider[float64, uint16](), itself[float64]),
		exponentiating(dtype.Uint32, double, loadWider[float64, uint32](), itself[float64]), exponentiating(dtype.Uint64, double, loadWider[float64, uint64](), itself[float64]))
}()

package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
	"github.com/weft-nd/weft/parallel"
)

// maximumMagnitude and minimumMagnitude are the extremes of magnitudes.
var (
	maximumMagnitude = newMagnitudes(maximum64)
	minimumMagnitude = newMagnitudes(minimum64)
)

func newMagnitudes(extreme *total[float64]) *total[float64] {
	return newTotal("", eachRow(func(dst, x []float64) {
		for i, v := range x {
			dst[i] = math.Abs(v)
		}
	}, func(dst, x []float64) {
		for i, v := range x {
			dst[i] = extreme.pair(dst[i], math.Abs(v))
		}
	}), extreme.pair, extreme.pairs, extreme)
}

// sumOfPowers is the sum of the magnitudes to a power.
func sumOfPowers(order float64) fold[float64, float64] {
	return fold[float64, float64]{join: plus[float64], leaf: func(w *workspace, x []float64, _ int) float64 {
		both := slice[float64](unsafe.Pointer(&w.mapped), 2*leaf)
		magnitudes, exponents := both[:len(x)], both[leaf:][:len(x)]
		for i, v := range x {
			magnitudes[i], exponents[i] = math.Abs(v), order
		}
		calculus.Pow.Float64(magnitudes, magnitudes, exponents)
		return sum64.leaf(w, magnitudes, 0)
	}}
}

// norming computes the norm of order Scalars[0] in float64: sqrt Σx² for 2, Σ|x| for 1, the largest or smallest magnitude for
// the infinities, the number of elements that are not zero for 0, and (Σ|x|^p)^(1/p) for any other p.
func norming[N, D any](d dtype.DType, load loader[float64], round func(float64) D) entry {
	squares := accumulatedOf[N](d, sumsq64, load, storing(func(total float64, _ int) D { return round(math.Sqrt(total)) })).kernel
	magnitudes := accumulatedOf[N](d, asum64, load, storing(func(total float64, _ int) D { return round(total) })).kernel
	return entry{d.String(), func(t *parallel.Thread, a *device.Arguments) error {
		order := a.Scalars[0]
		f, finish := sumOfPowers(order), itself[float64]
		switch {
		case order == 2:
			return squares(t, a)
		case order == 1:
			return magnitudes(t, a)
		case order == 0:
			f = fold[float64, float64]{join: plus[float64], leaf: func(w *workspace, x []float64, first int) float64 { return float64(nonzero(w, x, first)) }}
		case math.IsInf(order, 1):
			f = maximumMagnitude.fold()
		case math.IsInf(order, -1):
			f = minimumMagnitude.fold()
		default:
			finish = func(total float64) float64 { return calculus.PowFloat64(total, 1/order) }
		}
		store := storing(func(total float64, _ int) D { return round(finish(total)) })
		return reducer[float64, float64]{f, load, store}.kernel(t, a)
	}}
}

// round32, roundF16 and roundBF16 round once.
func round32(v float64) float32      { return float32(v) }
func roundF16(v float64) dtype.F16   { return dtype.ToF16(oddFloat32(v)) }
func roundBF16(v float64) dtype.BF16 { return dtype.ToBF16(oddFloat32(v)) }

var _ = register("norm",
	norming[dtype.F16](dtype.Float16, loadF16Wider, roundF16), norming[dtype.BF16](dtype.BFloat16, loadBF16Wider, roundBF16),
	norming[float32](dtype.Float32, loadWider[float64, float32](), round32), norming[float64](dtype.Float64, nil, itself[float64]),
	norming[complex64](dtype.Complex64, byRows(loadMagnitudes64), round32), norming[complex128](dtype.Complex128, byRows(loadMagnitudes128), itself[float64]),
	norming[bool](dtype.Bool, loadWider[float64, uint8](), itself[float64]), norming[int8](dtype.Int8, loadWider[float64, int8](), itself[float64]),
	norming[int16](dtype.Int16, loadWider[float64, int16](), itself[float64]), norming[int32](dtype.Int32, loadWider[float64, int32](), itself[float64]),
	norming[int64](dtype.Int64, loadWider[float64, int64](), itself[float64]), norming[uint8](dtype.Uint8, loadWider[float64, uint8](), itself[float64]),
	norming[uint16](dtype.Uint16, loadWider[float64, uint16](), itself[float64]), norming[uint32](dtype.Uint32, loadWider[float64, uint32](), itself[float64]),
	norming[uint64](dtype.Uint64, loadWider[float64, uint64](), itself[float64]))

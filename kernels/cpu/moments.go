package cpu

import (
	"math"
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// moment is the mean of count elements and the sum of the squares of their distances from it.
type moment struct {
	mean, squares float64
	count         int
}

// MomentPartial is the size of a partial result of var or std in bytes, for ReductionScratch.
const MomentPartial = int(unsafe.Sizeof(moment{}))

// joinMoments is exact but for rounding (Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing
// sample variances", 1979).
func joinMoments(a, b moment) moment {
	count := a.count + b.count
	distance := b.mean - a.mean
	share := float64(b.count) / float64(count)
	return moment{
		a.mean + float64(distance*share),
		a.squares + b.squares + float64(float64(float64(distance*distance)*share)*float64(a.count)), count,
	}
}

// assembledMoment is the assembly of deviations, as rows.rows of a total, and of whole leaves: sum and sum of squares of each.
type assembledMoment[T any] struct {
	deviations func(dst, x, means *T, stride, rows, width int)
	moments    func(dst, x *T, count int)
}

// assembledMoments has a [2]assembledMoment[T] for float32 and float64, as assembledTotals.
var assembledMoments = map[string]any{}

// spread is the fold of moments. A leaf is gone over twice while it is in the cache: for its mean, rounded to T, and for the
// squares of the distances from that.
type spread[T dtype.Float] struct {
	sum  *total[T]
	find func() [2]assembledMoment[T]
}

func newSpread[T dtype.Float](sum *total[T]) *spread[T] {
	return &spread[T]{sum, sync.OnceValue(func() [2]assembledMoment[T] {
		known, _ := assembledMoments[dtype.Of[T]().String()].([2]assembledMoment[T])
		return known
	})}
}

func (s *spread[T]) fold() fold[T, moment] {
	return fold[T, moment]{leaf: s.leaf, run: s.run, join: joinMoments, columns: s.columns, passes: 2}
}

func (s *spread[T]) assembly() assembledMoment[T] {
	if features.Best == features.Portable {
		return assembledMoment[T]{}
	}
	return s.find()[features.Best-features.AVX2]
}

// deviations sums the squares of the distances from means in rows.
func (s *spread[T]) deviations(dst []T, x unsafe.Pointer, means []T, stride, count int) {
	if compute := s.assembly().deviations; compute != nil && len(dst) >= lanes {
		compute(&dst[0], (*T)(x), &means[0], stride, count, len(dst))
		return
	}
	for i := range dst {
		dst[i] = 0
	}
	for k := range count {
		for i, v := range slice[T](unsafe.Add(x, k*stride), len(dst)) {
			v -= means[i]
			dst[i] += T(v * v)
		}
	}
}

// momentOf makes a moment of sums; center is what the distances were taken from.
func momentOf[T dtype.Float](sum, center, squares T, count int) moment {
	mean := float64(sum) / float64(count)
	off := float64(center) - mean
	return moment{mean, float64(squares) - float64(float64(off*off)*float64(count)), count}
}

func (s *spread[T]) leaf(w *workspace, x []T, _ int) moment {
	sum := s.sum.leaf(w, x, 0)
	center := sum / T(len(x))
	means := slice[T](unsafe.Pointer(&w.mapped), lanes)
	for i := range means {
		means[i] = center
	}
	squares := s.sum.finish(w, x, func(dst []T, x unsafe.Pointer, stride, count int) {
		s.deviations(dst, x, means[:len(dst)], stride, count)
	})
	return momentOf(sum, center, squares, len(x))
}

func (s *spread[T]) run(w *workspace, x []T, first int) moment {
	var tree stack[moment]
	if compute := s.assembly().moments; compute != nil {
		results := slice[T](unsafe.Pointer(&w.leaves), 2*leaf)
		for len(x) >= leaf {
			count := min(len(x)/leaf, leaf)
			compute(&results[0], &x[0], count)
			for i := range count {
				sum := results[2*i]
				tree.push(momentOf(sum, sum/leaf, results[2*i+1], leaf), joinMoments)
			}
			x = x[count*leaf:]
		}
	}
	for ; len(x) > 0; x = x[min(len(x), leaf):] {
		tree.push(s.leaf(w, x[:min(len(x), leaf)], 0), joinMoments)
	}
	return tree.total(joinMoments)
}

func (s *spread[T]) columns(w *workspace, dst []moment, x unsafe.Pointer, stride, count, _ int) {
	memory := slice[T](unsafe.Pointer(&w.transposed), 3*len(dst))
	sums, means, squares := memory[:len(dst)], memory[len(dst):2*len(dst)], memory[2*len(dst):]
	s.sum.columns(w, sums, x, stride, count, 0)
	for i, sum := range sums {
		means[i] = sum / T(count)
	}
	s.sum.finishColumns(w, squares, count, func(lane []T, i, rows int) {
		s.deviations(lane, unsafe.Add(x, i*stride), means, lanes*stride, rows)
	})
	for i := range dst {
		dst[i] = momentOf(sums[i], means[i], squares[i], count)
	}
}

// variance divides by the number of elements less a correction; it is NaN unless that is above 0.
func variance(m moment, count int, correction float64) float64 {
	freedom := float64(count) - correction
	if freedom <= 0 {
		return math.NaN()
	}
	return max(m.squares, 0) / freedom
}

func deviation(m moment, count int, correction float64) float64 {
	return math.Sqrt(variance(m, count, correction))
}

func spreading[T dtype.Float, D any](
	d dtype.DType, sum *total[T], load loader[T], finish func(m moment, count int, correction float64) float64, round func(float64) D,
) entry {
	f := newSpread(sum).fold()
	return entry{d.String(), func(t *parallel.Thread, a *device.Arguments) error {
		correction := a.Scalars[0]
		return reducer[T, moment]{f, load, storing(func(m moment, count int) D { return round(finish(m, count, correction)) })}.kernel(t, a)
	}}
}

// spreadings are the kernels of what follows from moments and a correction, Scalars[0]. Integers are taken as float64.
func spreadings(finish func(m moment, count int, correction float64) float64) []entry {
	return []entry{
		spreading(dtype.Float16, sum32, loadF16, finish, roundF16),
		spreading(dtype.BFloat16, sum32, loadBF16, finish, roundBF16),
		spreading(dtype.Float32, sum32, nil, finish, round32),
		spreading(dtype.Float64, sum64, nil, finish, itself[float64]),
		spreading(dtype.Bool, sum64, loadWider[float64, uint8](), finish, itself[float64]),
		spreading(dtype.Int8, sum64, loadWider[float64, int8](), finish, itself[float64]),
		spreading(dtype.Int16, sum64, loadWider[float64, int16](), finish, itself[float64]),
		spreading(dtype.Int32, sum64, loadWider[float64, int32](), finish, itself[float64]),
		spreading(dtype.Int64, sum64, loadWider[float64, int64](), finish, itself[float64]),
		spreading(dtype.Uint8, sum64, loadWider[float64, uint8](), finish, itself[float64]),
		spreading(dtype.Uint16, sum64, loadWider[float64, uint16](), finish, itself[float64]),
		spreading(dtype.Uint32, sum64, loadWider[float64, uint32](), finish, itself[float64]),
		spreading(dtype.Uint64, sum64, loadWider[float64, uint64](), finish, itself[float64]),
	}
}

var (
	_ = register("var", spreadings(variance)...)
	_ = register("std", spreadings(deviation)...)
)

package cpu

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// loadedTotal is a total of Ts that are loaded from elements N: by assembly where it adds them up, otherwise some at a time.
type loadedTotal[N any, T dtype.Float] struct {
	*total[T]
	load loader[T]
	// find returns the assembly for AVX2 and AVX-512; its functions are nil where there is none.
	find func() *[2]assembledLoading[T]
}

// assembledLoading is rows, trees and lanes, which may be missing, of an assembledTotal, of elements that are loaded from narrower ones.
type assembledLoading[T any] struct {
	rows  func(dst *T, x *byte, stride, rows, width int)
	trees func(dst *T, x *byte, scratch *T, stride, trees, count int)
	lanes func(dst *T, x *byte, stride, rows, width int)
}

// assembledLoadings has a [2]assembledLoading[T], for AVX2 and AVX-512, by the operator, the type of the elements and
// that of T. Nothing changes once the package is initialised.
var assembledLoadings = map[string]any{}

// loadedFold returns f of elements N, which have type d and are loaded unless load is nil.
func loadedFold[N any, T dtype.Float](d dtype.DType, f *total[T], load loader[T]) fold[N, T] {
	if load == nil {
		return any(f.fold()).(fold[N, T])
	}
	l := &loadedTotal[N, T]{f, load, sync.OnceValue(func() *[2]assembledLoading[T] {
		known, _ := assembledLoadings[f.operator+"/"+d.String()+"/"+dtype.Of[T]().String()].([2]assembledLoading[T])
		return &known
	})}
	var narrow N
	var wide T
	return fold[N, T]{
		leaf: l.leaf, run: l.run, longRows: l.longRows, join: f.pair, columns: l.columns, shortRows: l.shortRows, joinAll: f.fold().joinAll,
		passes: max(1, int(unsafe.Sizeof(wide)/unsafe.Sizeof(narrow))), // of columns there are fewer Ts than Ns at a time
	}
}

func (f *loadedTotal[N, T]) assembly() assembledLoading[T] {
	if features.Best == features.Portable {
		return assembledLoading[T]{}
	}
	return f.find()[features.Best-features.AVX2]
}

// widen returns elements as Ts.
func (f *loadedTotal[N, T]) widen(w *workspace, x []N) []T {
	to := slice[T](unsafe.Pointer(&w.loaded), len(x))
	f.load.line(to, unsafe.Pointer(unsafe.SliceData(x)))
	return to
}

func (f *loadedTotal[N, T]) leaf(w *workspace, x []N, _ int) T {
	if f.assembly().trees != nil {
		return f.subtree(w, x)
	}
	return f.total.leaf(w, f.widen(w, x), 0)
}

// most is how many elements subtree takes.
func (f *loadedTotal[N, T]) most() int {
	var element T
	if f.assembly().trees != nil {
		return treeElements(features.AVX512, int(unsafe.Sizeof(element)))
	}
	return mostLoaded[T]()
}

// subtree reduces elements that are a tree of their own.
func (f *loadedTotal[N, T]) subtree(w *workspace, x []N) T {
	if trees := f.assembly().trees; trees != nil {
		result := slice[T](unsafe.Pointer(&w.lanes), 1)
		trees(&result[0], (*byte)(unsafe.Pointer(&x[0])), (*T)(unsafe.Pointer(&w.columns)), 0, 1, len(x))
		return result[0]
	}
	return f.total.run(w, f.widen(w, x), 0)
}

func (f *loadedTotal[N, T]) run(w *workspace, x []N, _ int) T {
	return bySubtrees(x, f.most(), func(part []N) T { return f.subtree(w, part) }, f.pair)
}

func (f *loadedTotal[N, T]) longRows(w *workspace, dst []T, x unsafe.Pointer, stride, count int) {
	trees := f.assembly().trees
	if trees == nil || count > f.most() {
		f.loadedRows(w, dst, x, stride, count)
		return
	}
	together := treesTogether(count)
	for i := 0; i < len(dst); i += together {
		trees(&dst[i], (*byte)(unsafe.Add(x, i*stride)), (*T)(unsafe.Pointer(&w.columns)), stride, min(together, len(dst)-i), count)
	}
}

// loadedRows is longRows for rows that are too long for a tree, or that there is no assembly for.
func (f *loadedTotal[N, T]) loadedRows(w *workspace, dst []T, x unsafe.Pointer, stride, count int) {
	together := f.most() / count
	if f.assembly().trees != nil || together <= 1 {
		for i := range dst {
			dst[i] = f.run(w, slice[N](unsafe.Add(x, i*stride), count), 0)
		}
		return
	}
	var element T
	for i := 0; i < len(dst); i += together {
		part := dst[i:min(i+together, len(dst))]
		rows := slice[T](unsafe.Pointer(&w.loaded), len(part)*count)
		f.load(rows, count, unsafe.Add(x, i*stride), stride)
		f.total.longRows(w, part, unsafe.Pointer(&rows[0]), count*int(unsafe.Sizeof(element)), count)
	}
}

func (f *loadedTotal[N, T]) columns(w *workspace, dst []T, x unsafe.Pointer, stride, count, _ int) {
	size := int(unsafe.Sizeof(dst[0]))
	if compute := f.assembly().lanes; compute != nil && count <= lanes && len(dst) >= fewest(size) {
		compute(&dst[0], (*byte)(x), stride, count, len(dst))
		return
	}
	compute := f.assembly().rows
	f.finishColumns(w, dst, count, func(lane []T, i, rows int) {
		from := unsafe.Add(x, i*stride)
		if compute != nil && len(lane) >= fewest(size) {
			compute(&lane[0], (*byte)(from), lanes*stride, rows, len(lane))
			return
		}
		wide := slice[T](unsafe.Pointer(&w.transposed), rows*len(lane))
		f.load(wide, len(lane), from, lanes*stride)
		f.rows(lane, unsafe.Pointer(&wide[0]), len(lane)*size, rows)
	})
}

func (f *loadedTotal[N, T]) shortRows() shortRows[T] {
	reduce := f.total.shortRows()
	if reduce == nil {
		return nil
	}
	var narrow N
	return func(w *workspace, dst []T, x unsafe.Pointer, stride, count int) {
		most := loaded / count / manyRows * manyRows
		for i := 0; i < len(dst); i += most {
			part := dst[i:min(i+most, len(dst))]
			rows, from := slice[T](unsafe.Pointer(&w.loaded), len(part)*count), unsafe.Add(x, i*stride)
			if stride == count*int(unsafe.Sizeof(narrow)) {
				f.load.line(rows, from)
			} else {
				f.load(rows, count, from, stride)
			}
			reduce(w, part, unsafe.Pointer(&rows[0]), count*int(unsafe.Sizeof(part[0])), count)
		}
	}
}

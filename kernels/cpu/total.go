package cpu

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// rows reduces rows of neighbouring elements, stride bytes apart, to dst, which is none of them unless its length is a
// multiple of 16. The order is that of the rows.
type rows[T any] func(dst []T, x unsafe.Pointer, stride, count int)

// assembledTotal is the assembly of a total: rows with at least as many elements as fewest says; where the order of
// elements does not matter, parts of so many leaves each; otherwise, and for some of these, trees of at most as many
// elements as treeElements says, treesAtOnce at most; and, which may be missing, short for a multiple of manyRows rows
// that are reduced to an element each, and lanes for at most 16 rows of neighbouring elements that are joined as the
// lanes of a leaf are.
type assembledTotal[T any] struct {
	rows  func(dst, x *T, stride, rows, width int)
	parts assembledParts[T]
	trees func(dst, x, scratch *T, stride, trees, count int)
	short func(dst, x, scratch *T, stride, rows, width int)
	lanes func(dst, x *T, stride, rows, width int)
}

// assembledParts reduces parts of so many leaves, and fetches what lies so many bytes ahead.
type assembledParts[T any] func(dst, x *T, parts, leaves, ahead int)

// fetched is how many bytes ahead memory is fetched in a part of so many: in short ones, and between them, most of that
// would not be read, and long ones, which those of AVX2 are sooner, are read at several places.
func fetched(bytes int) int {
	if bytes < 32<<10 || bytes >= 128<<10 || features.Zen4 || features.Best < features.AVX512 {
		return 0
	}
	return 16 << 10
}

// manyRows is a multiple of the rows that assembly reduces to an element each.
const manyRows = 16

// assembledTotals has a map[string][2]assembledTotal[T] for each element type T that there is assembly for, by the names of
// operators, for AVX2 and AVX-512. Nothing changes once the package is initialised.
var assembledTotals = map[string]any{}

// fewest is the number of elements of size bytes that assembly takes at least: lanes, and the longest vector.
func fewest(size int) int { return max(lanes, 64/size) }

// multiple rounds up to one of fewest.
func multiple(elements, size int) int {
	return (elements + fewest(size) - 1) / fewest(size) * fewest(size)
}

// total is a reduction whose partial results are of the type of its elements.
type total[T dtype.Number] struct {
	operator string
	portable rows[T]
	// find returns the assembly for AVX2 and AVX-512, with the trees of treeLevel; its functions are nil where there is none.
	find func() *[2]assembledTotal[T]
	// joining is the total that partial results are elements of; nil if this one is.
	joining *total[T]
	// unordered tells that the order of elements does not matter, and idempotent that it does not how often they count either.
	unordered, idempotent bool
	// pair joins two partial results, and pairs those in x, which it changes: neighbours, then pairs of neighbours, and so on.
	pair  func(a, b T) T
	pairs func(x []T) T
	// unloaded, if not nil, reduces count elements that lie one after the other.
	unloaded func(x unsafe.Pointer, count int) T
}

func newTotal[T dtype.Number](operator string, portable rows[T], pair func(a, b T) T, pairs func(x []T) T, joining *total[T]) *total[T] {
	return &total[T]{operator: operator, portable: portable, joining: joining, pair: pair, pairs: pairs, find: sync.OnceValue(func() *[2]assembledTotal[T] {
		known, _ := assembledTotals[dtype.Of[T]().String()].(map[string][2]assembledTotal[T])
		levels := known[operator]
		levels[features.AVX512-features.AVX2].trees = levels[treeLevel(features.AVX512)-features.AVX2].trees
		return &levels
	})}
}

// assembly returns the assembly to use now.
func (f *total[T]) assembly() *assembledTotal[T] {
	if features.Best == features.Portable {
		return &assembledTotal[T]{}
	}
	return &f.find()[features.Best-features.AVX2]
}

func (f *total[T]) rows(dst []T, x unsafe.Pointer, stride, count int) {
	if compute := f.assembly().rows; compute != nil && len(dst) >= fewest(int(unsafe.Sizeof(dst[0]))) {
		compute(&dst[0], (*T)(x), stride, count, len(dst))
		return
	}
	f.portable(dst, x, stride, count)
}

func (f *total[T]) join() *total[T] {
	if f.joining != nil {
		return f.joining
	}
	return f
}

// fold returns f as a fold.
func (f *total[T]) fold() fold[T, T] {
	join := f.join()
	return fold[T, T]{leaf: f.leaf, run: f.run, longRows: f.longRows, join: f.pair, columns: f.columns, shortRows: f.shortRows, unordered: f.unordered, unloaded: f.unloaded, joinAll: func(a, b []T) {
		if compute := join.assembly().rows; compute != nil {
			compute(&a[0], &a[0], apart(a, b), 2, multiple(len(a), int(unsafe.Sizeof(a[0])))) // Both have room for whole vectors.
			runtime.KeepAlive(b)
			return
		}
		for i, v := range b {
			a[i] = f.pair(a[i], v)
		}
	}}
}

// shortRows returns leaf for many outputs, or nil if there is no assembly for it.
func (f *total[T]) shortRows() shortRows[T] {
	compute := f.assembly().short
	if compute == nil {
		return nil
	}
	return func(w *workspace, dst []T, x unsafe.Pointer, stride, count int) {
		many := len(dst) &^ (manyRows - 1)
		if many > 0 {
			compute(&dst[0], (*T)(x), (*T)(unsafe.Pointer(&w.mapped)), stride, many, count)
		}
		for i := many; i < len(dst); i++ {
			dst[i] = f.leaf(w, slice[T](unsafe.Add(x, i*stride), count), 0)
		}
	}
}

func (f *total[T]) leaf(w *workspace, x []T, _ int) T {
	return f.finish(w, x, f.rows)
}

// finish reduces a leaf by way of its lanes, into which lift takes rows.
func (f *total[T]) finish(w *workspace, x []T, lift rows[T]) T {
	size := int(unsafe.Sizeof(x[0]))
	lane := slice[T](unsafe.Pointer(&w.lanes), 2*lanes)
	used := min(len(x), lanes)
	lift(lane[:used], unsafe.Pointer(&x[0]), lanes*size, len(x)/used)
	join := f.join()
	if rest := x[len(x)/used*used:]; len(rest) > 0 {
		more := lane[lanes:][:len(rest)]
		lift(more, unsafe.Pointer(&rest[0]), 0, 1)
		join.portable(lane[:len(rest)], unsafe.Pointer(&lane[0]), lanes*size, 2)
	}
	for half := lanes / 2; half > 0; half /= 2 {
		if both := min(used, 2*half) - half; both > 0 {
			join.portable(lane[:both], unsafe.Pointer(&lane[0]), half*size, 2)
		}
	}
	return lane[0]
}

// run reduces any number of elements.
func (f *total[T]) run(w *workspace, x []T, _ int) T {
	assembly := f.assembly()
	switch {
	case assembly.parts != nil:
		return f.anyOrder(w, x, assembly.parts)
	case assembly.trees != nil:
		return f.byTrees(w, x)
	}
	return bySubtrees(x, segment, func(part []T) T { return f.subtree(w, part) }, f.pair)
}

// anyOrder reduces at least a leaf of elements whose order does not matter, some at a time: the runtime cannot stop assembly.
func (f *total[T]) anyOrder(w *workspace, x []T, parts assembledParts[T]) T {
	if len(x) < segment+leaf {
		return f.anyPart(w, x, parts)
	}
	total := f.anyPart(w, x[:segment], parts)
	for x = x[segment:]; len(x) >= segment+leaf; x = x[segment:] {
		total = f.pair(total, f.anyPart(w, x[:segment], parts))
	}
	return f.pair(total, f.anyPart(w, x, parts))
}

// anyPart is anyOrder in one go. What is left over of whole leaves is one that begins before, where elements may count twice.
func (f *total[T]) anyPart(w *workspace, x []T, parts assembledParts[T]) T {
	results, whole := slice[T](unsafe.Pointer(&w.lanes), 2), len(x)/leaf*leaf
	parts(&results[0], &x[0], 1, whole/leaf, fetched(whole*int(unsafe.Sizeof(x[0]))))
	switch {
	case whole == len(x):
		return results[0]
	case f.idempotent:
		parts(&results[1], &x[len(x)-leaf], 1, 1, 0)
		return f.pair(results[0], results[1])
	}
	total := results[0]
	return f.pair(total, f.leaf(w, x[whole:], 0))
}

// leaves returns the results of the leaves of a segment.
func (f *total[T]) leaves(w *workspace, x []T) []T {
	results := slice[T](unsafe.Pointer(&w.leaves), leaf)[:0]
	if compute := f.assembly().parts; compute != nil && len(x) >= leaf {
		results = results[:len(x)/leaf]
		compute(&results[0], &x[0], len(results), 1, 0)
		if whole := len(results) * leaf; f.idempotent && whole < len(x) {
			results = results[:len(results)+1] // of a leaf that begins before
			compute(&results[len(results)-1], &x[len(x)-leaf], 1, 1, 0)
			return results
		}
		x = x[len(results)*leaf:]
	}
	for len(x) > 0 {
		part := x[:min(len(x), leaf)]
		results = append(results, f.leaf(w, part, 0))
		x = x[len(part):]
	}
	return results
}

// columns is leaf for neighbouring outputs.
func (f *total[T]) columns(w *workspace, dst []T, x unsafe.Pointer, stride, count, _ int) {
	if f.unordered {
		f.rowsInTurns(w, dst, x, stride, count)
		return
	}
	if count <= lanes && f.joining == nil {
		f.joinRows(w, dst, x, stride, count)
		return
	}
	f.finishColumns(w, dst, count, func(row []T, i, rows int) { f.rows(row, unsafe.Add(x, i*stride), lanes*stride, rows) })
}

// rowsInTurns reduces rows in any order, so many at a time that processors read ahead in each of them.
func (f *total[T]) rowsInTurns(w *workspace, dst []T, x unsafe.Pointer, stride, count int) {
	size := int(unsafe.Sizeof(dst[0]))
	compute := f.assembly().rows
	if compute == nil || count <= lanes || len(dst) < fewest(size) {
		f.rows(dst, x, stride, count)
		return
	}
	width := multiple(len(dst), size)
	both := slice[T](unsafe.Pointer(&w.columns), 2*width)
	f.rows(both[:len(dst)], x, stride, lanes)
	for at := lanes; at < count; at += lanes {
		f.rows(both[width:][:len(dst)], unsafe.Add(x, at*stride), stride, min(lanes, count-at))
		compute(&both[0], &both[0], width*size, 2, width)
	}
	copy(dst, both)
}

// joinRows reduces rows each of which is a lane: those that are joined first need not be copied. The results of a join
// lie elsewhere than those before it.
func (f *total[T]) joinRows(w *workspace, dst []T, x unsafe.Pointer, stride, count int) {
	if count == 1 {
		copy(dst, slice[T](x, len(dst)))
		return
	}
	if compute := f.assembly().lanes; compute != nil && len(dst) >= fewest(int(unsafe.Sizeof(dst[0]))) {
		compute(&dst[0], (*T)(x), stride, count, len(dst))
		return
	}
	var rows [lanes]unsafe.Pointer
	for i := range count {
		rows[i] = unsafe.Add(x, i*stride)
	}
	width := multiple(len(dst), int(unsafe.Sizeof(dst[0])))
	results, others := slice[T](unsafe.Pointer(&w.columns), lanes/2*width), slice[T](unsafe.Pointer(&w.columns), lanes*width)[lanes/2*width:]
	for half := lanes / 2; half > 0; half /= 2 {
		for i := range min(count, 2*half) - half {
			to := results[i*width:][:len(dst)]
			if half == 1 {
				to = dst
			}
			f.pairRows(to, rows[i], rows[i+half])
			rows[i] = unsafe.Pointer(&to[0])
		}
		results, others = others, results
	}
}

// pairRows joins two rows, each of which may lie anywhere but in dst.
func (f *total[T]) pairRows(dst []T, x, y unsafe.Pointer) {
	if compute := f.assembly().rows; compute != nil && len(dst) >= fewest(int(unsafe.Sizeof(dst[0]))) {
		compute(&dst[0], (*T)(x), int(uintptr(y)-uintptr(x)), 2, len(dst))
		runtime.KeepAlive(y)
		return
	}
	other := slice[T](y, len(dst))
	for i, v := range slice[T](x, len(dst)) {
		dst[i] = f.pair(v, other[i])
	}
}

// finishColumns reduces a leaf of neighbouring outputs by way of their lanes; lift fills the one with number i.
func (f *total[T]) finishColumns(w *workspace, dst []T, count int, lift func(lane []T, i, rows int)) {
	size := int(unsafe.Sizeof(dst[0]))
	width := multiple(len(dst), size)
	lane := slice[T](unsafe.Pointer(&w.columns), lanes*width)
	used := min(count, lanes)
	for i := range used {
		lift(lane[i*width:][:len(dst)], i, (count-i+lanes-1)/lanes)
	}
	join := f.join()
	if compute := join.assembly().lanes; compute != nil && len(dst) >= fewest(size) {
		compute(&dst[0], &lane[0], width*size, used, len(dst))
		return
	}
	for half := lanes / 2; half > 0; half /= 2 {
		for i := range min(used, 2*half) - half {
			join.rows(lane[i*width:][:width], unsafe.Pointer(&lane[i*width]), half*width*size, 2)
		}
	}
	copy(dst, lane)
}

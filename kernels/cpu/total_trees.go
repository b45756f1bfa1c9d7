package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// treeLevel returns the level whose assembly reduces trees where the kernels of a level are used: Zen 4 reads memory
// faster by vectors of 32 bytes, which leave its fetching ahead enough time.
func treeLevel(level features.Level) features.Level {
	if features.Zen4 {
		return min(level, features.AVX2)
	}
	return level
}

// treeElements is the most elements of size bytes that assembly of a level reduces as one tree: a leaf for each pair of
// elements of a vector.
func treeElements(level features.Level, size int) int {
	vector := 32 / size
	if level == features.AVX512 {
		vector = 64 / size
	}
	return vector * vector * leaf
}

// treesAtOnce is how many trees assembly reads in turns: as many stretches of memory as processors need to read as fast
// as they can. Those of more than a segment together are fewer, so that it ends soon, since the runtime cannot stop it.
const treesAtOnce = 4

// treesTogether is how many trees of count elements, more than a leaf, assembly reduces at once. Zen 4 fetches one
// stretch of memory ahead best, but for those of two leaves, which end too soon.
func treesTogether(count int) int {
	if features.Zen4 && count > 2*leaf {
		return 1
	}
	return min(treesAtOnce, max(1, segment/count))
}

// bySubtrees reduces any number of elements by subtrees of at most so many.
func bySubtrees[A, S any](x []A, most int, subtree func(part []A) S, join func(a, b S) S) S {
	if len(x) <= most {
		return subtree(x)
	}
	var s stack[S]
	for len(x) > 0 {
		part := x[:min(len(x), most)]
		s.push(subtree(part), join)
		x = x[len(part):]
	}
	return s.total(join)
}

// longRows is run for rows of count elements that are stride bytes apart.
func (f *total[T]) longRows(w *workspace, dst []T, x unsafe.Pointer, stride, count int) {
	most, assembly := f.mostOfTree(), f.assembly()
	together := treesTogether(min(count, most))
	for i := 0; i < len(dst); i += together {
		some, from := dst[i:min(i+together, len(dst))], unsafe.Add(x, i*stride)
		switch {
		case count <= most && (assembly.trees != nil || !f.unordered):
			f.subtrees(w, some, from, stride, count)
		case assembly.trees != nil && assembly.parts == nil && len(some) == together && together > 1:
			f.rowsByTrees(w, some, from, stride, count)
		default: // A row alone is read at several places itself.
			for row := range some {
				some[row] = f.run(w, slice[T](unsafe.Add(from, row*stride), count), 0)
			}
		}
	}
}

// rowsByTrees reduces at most treesAtOnce rows of any number of elements that are stride bytes apart, by trees of assembly.
func (f *total[T]) rowsByTrees(w *workspace, dst []T, x unsafe.Pointer, stride, count int) {
	most, size := f.mostOfTree(), int(unsafe.Sizeof(dst[0]))
	results, stacks := slice[T](unsafe.Pointer(&w.lanes), len(dst)), [treesAtOnce]stack[T]{}
	for at := 0; at < count; at += most {
		f.subtrees(w, results, unsafe.Add(x, at*size), stride, min(most, count-at))
		for i, result := range results {
			stacks[i].push(result, f.pair)
		}
	}
	for i := range dst {
		dst[i] = stacks[i].total(f.pair)
	}
}

// byTrees reduces any number of elements by trees of assembly.
func (f *total[T]) byTrees(w *workspace, x []T) T {
	most := f.mostOfTree()
	if f.assembly().trees != nil {
		most = min(most, quarter(len(x)))
	}
	if len(x) <= most {
		return f.subtree(w, x)
	}
	size, together := int(unsafe.Sizeof(x[0])), treesTogether(most)
	results, s := slice[T](unsafe.Pointer(&w.lanes), together), stack[T]{}
	for len(x) >= most {
		some := results[:min(together, len(x)/most)]
		f.subtrees(w, some, unsafe.Pointer(&x[0]), most*size, most)
		for _, result := range some {
			s.push(result, f.pair)
		}
		x = x[len(some)*most:]
	}
	if len(x) > 0 {
		s.push(f.subtree(w, x), f.pair)
	}
	return s.total(f.pair)
}

// quarter returns the elements of trees of which as many as assembly reads in turns are most of count elements; count
// where that is not worth it.
func quarter(count int) int {
	const least = 8 * leaf
	if features.Zen4 || count < treesAtOnce*least {
		return count
	}
	return 1 << (bits.Len(uint(count/treesAtOnce)) - 1)
}

// mostOfTree is the most elements that subtree takes.
func (f *total[T]) mostOfTree() int {
	var element T
	if f.assembly().trees != nil {
		return treeElements(treeLevel(features.Best), int(unsafe.Sizeof(element)))
	}
	return segment
}

// subtree reduces as many elements as assembly takes as a tree, or a segment where there is none.
func (f *total[T]) subtree(w *workspace, x []T) T {
	result := slice[T](unsafe.Pointer(&w.lanes), 1)
	f.subtrees(w, result, unsafe.Pointer(&x[0]), 0, len(x))
	return result[0]
}

// subtrees is subtree for at most treesAtOnce of them, stride bytes apart.
func (f *total[T]) subtrees(w *workspace, dst []T, x unsafe.Pointer, stride, count int) {
	if compute := f.assembly().trees; compute != nil {
		compute(&dst[0], (*T)(x), (*T)(unsafe.Pointer(&w.columns)), stride, len(dst), count)
		return
	}
	for i := range dst {
		dst[i] = f.pairs(f.leaves(w, slice[T](unsafe.Add(x, i*stride), count)))
	}
}

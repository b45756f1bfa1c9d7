package cpu

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// The cost of one element, in nanoseconds, of loops without and with transcendental functions.
const (
	light = 0.5
	heavy = 8
)

// blockSize is how many elements are gathered at a time where an operand is not contiguous, and the grain in which work is
// shared: a multiple of the elements that one Philox block yields.
const blockSize = 512

// pointers are the addresses of the operands of an inner loop, outputs first. Calls pass them as a literal of four elements,
// not as a copy of the array: a copy loads two pointers at once, and if they were just stored one by one the processor cannot
// forward these stores, and waits until all earlier ones are done.
type pointers [maxOperands]unsafe.Pointer

// elementwise is the kernel that applies an inner loop to all elements of the operands.
func elementwise(i *inner) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		i.runner().compute(t, a)
		return nil
	}
}

// compute applies the loop to all elements of the operands.
func (r *runner) compute(t *parallel.Thread, a *device.Arguments) {
	if count, form, simple := inLine(a); simple {
		r.runLine(t, a, count, form)
		return
	}
	var views [maxOperands]device.View
	count := copy(views[:], a.Outputs[:1])
	count += copy(views[count:], a.Inputs)
	n := nestPool.Get().(*nest)
	n.set(views[:count])
	w := walk{nest: n, outputs: 1, reads: 1, runner: *r}
	w.share(t)
	n.release()
}

var nestPool = sync.Pool{New: func() any { return new(nest) }}

// release puts n, which nothing refers to any more, back into the pool.
func (n *nest) release() {
	clear(n.operands) // or they would keep memory alive
	nestPool.Put(n)
}

// unshared is the nanoseconds of work below which sharing it among threads never pays.
const unshared = 2000

// streamedLoop returns how many bytes operands and result must have for the result to bypass the caches, which would read it
// first, and would not hold it until it is used. A last-level cache that is probably not shared with other programs still holds
// much of operands of one and a half times its size.
var streamedLoop = sync.OnceValue(func() int {
	const least, own = 24 << 20, 32 << 20
	if cache := features.LastLevelCache(); cache <= own {
		return max(least, 3*cache/2)
	}
	return least
})

// inLine reports whether each operand lies in row-major order without gaps or is a single repeated element (simple), how many
// elements there are, and the form of the loop over them.
func inLine(a *device.Arguments) (count, form int, simple bool) {
	count, simple = rowMajorCount(a.Outputs[0])
	for i := range a.Inputs {
		if !simple {
			return 0, 0, false
		}
		if _, simple = rowMajorCount(a.Inputs[i]); !simple && isRepeated(a.Inputs[i]) {
			simple, form = true, form|1<<i
		}
	}
	return count, form, simple
}

// rowMajorCount returns the number of elements of v, and whether they lie one after the other in row-major order (line).
func rowMajorCount(v device.View) (count int, line bool) {
	count, line = 1, true
	for axis := len(v.Shape) - 1; axis >= 0; axis-- {
		line = line && (v.Strides[axis] == count || v.Shape[axis] == 1)
		count *= v.Shape[axis]
	}
	return count, line || count == 0
}

// stridedCount returns the number of elements of v, the bytes from one to the next in row-major order, and whether that is the same
// everywhere.
func stridedCount(v device.View) (count, stride int, line bool) {
	size := v.DType.Size()
	count, stride, line = 1, size, true
	for axis := len(v.Shape) - 1; axis >= 0; axis-- {
		switch n := v.Shape[axis]; {
		case n == 1:
			continue
		case count == 1:
			stride = v.Strides[axis] * size
		default:
			line = line && v.Strides[axis]*size == stride*count
		}
		count *= v.Shape[axis]
	}
	return count, stride, line
}

// isRepeated reports whether all elements of v are the same one in memory.
func isRepeated(v device.View) bool {
	for axis, stride := range v.Strides {
		if stride != 0 && v.Shape[axis] != 1 {
			return false
		}
	}
	return true
}

// runLine computes count elements that lie one after the other.
func (r *runner) runLine(t *parallel.Thread, a *device.Arguments, count, form int) {
	if count == 0 {
		return
	}
	at := func(i int) unsafe.Pointer {
		if i < len(a.Inputs) {
			return a.Inputs[i].Pointer.Host
		}
		return nil
	}
	if form == 0 || r.vector != nil && count >= r.least {
		if float64(count)*r.nanoseconds < unshared {
			r.run(count, pointers{a.Outputs[0].Pointer.Host, at(0), at(1), at(2)}, form)
			return
		}
	}
	p := pointers{a.Outputs[0].Pointer.Host, at(0), at(1), at(2)}
	n := nestPool.Get().(*nest)
	n.setLine(r.sizes, p, count, form)
	w := walk{nest: n, outputs: 1, reads: 1, runner: *r}
	w.share(t)
	n.release()
}

// apply runs plain over all elements of n, whose first operands are outputs. With update these are read, too.
func apply(t *parallel.Thread, n *nest, outputs int, update bool, nanoseconds float64, plain loop) {
	w := walk{nest: n, outputs: outputs, reads: outputs, runner: runner{plain: plain, nanoseconds: nanoseconds}}
	if update {
		w.reads = 0
	}
	w.share(t)
}

package ops

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// run computes the result, with a Thread unless it is short.
func (r *straight) run(t *parallel.Thread) error {
	if r.reduction != nil {
		return r.reduction.run(t, r.to, r.from[0])
	}
	if r.rows == 1 {
		r.line.Run(r.count, r.to, r.from[0], r.from[1], r.from[2], r.repeated)
		return nil
	}
	r.line.RunRows(r.rows, r.count/r.rows, r.to, r.from[0], r.from[1], r.rowSteps(), r.repeated)
	return nil
}

// rowSteps returns how many bytes it is from a row to the next in the result and in two operands.
func (r *straight) rowSteps() [3]int {
	return [3]int{r.count / r.rows * r.result.Size(), r.steps[0] * r.types.size(0), r.steps[1] * r.types.size(1)}
}

// sharedElements is how many elements of a single row threads get at least, more than what a loop over repeated elements asks for.
const sharedElements = 64

// share is run by all threads that are awake.
func (r *straight) share(t *parallel.Thread) {
	whole := *r // only here it is on the heap
	takes := float64(r.count) * r.nanoseconds
	if r.rows > 1 {
		inner, steps := r.count/r.rows, r.rowSteps()
		t.ForCost(r.rows, takes/float64(r.rows), func(_ *parallel.Thread, lo, hi int) {
			whole.line.RunRows(hi-lo, inner, unsafe.Add(whole.to, lo*steps[0]), unsafe.Add(whole.from[0], lo*steps[1]), unsafe.Add(whole.from[1], lo*steps[2]), steps, whole.repeated)
		})
		return
	}
	blocks := max(1, r.count/sharedElements)
	t.ForCost(blocks, takes/float64(blocks), func(_ *parallel.Thread, lo, hi int) {
		first, last := lo*sharedElements, hi*sharedElements
		if hi == blocks {
			last = whole.count
		}
		from := whole.from
		for i := range from {
			if whole.repeated>>i&1 == 0 {
				from[i] = unsafe.Add(from[i], first*whole.types.size(i))
			}
		}
		whole.line.Run(last-first, unsafe.Add(whole.to, first*whole.result.Size()), from[0], from[1], from[2], whole.repeated)
	})
}

// at returns the address of the first element of t, whose memory is at the given one, if that is not nil.
func (t *Tensor) at(memory unsafe.Pointer) unsafe.Pointer {
	if memory == nil {
		return nil
	}
	return unsafe.Add(memory, t.view.Offset*t.view.DType.Size())
}

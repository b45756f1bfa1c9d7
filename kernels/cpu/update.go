package cpu

import (
	"cmp"
	"slices"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// updateStep is what a loop of updateLoops does to count elements of an array, of its states and of its gradient.
type updateStep[T dtype.Float] func(l *updateLoops[T], p pointers, count int, c *updateCoefficients[T])

// update makes the kernel of a step of an optimiser on several arrays. For each there is an output for its weights and each of
// its states, which are updated in place, an input for its gradient, and so many Scalars as Integers[0] says: the coefficients of
// its step. The last output, a 0-d bool, is set to true at the end.
func update[T dtype.Float](states int, step updateStep[T]) func(*parallel.Thread, *device.Arguments) error {
	return func(t *parallel.Thread, a *device.Arguments) error {
		loops := &rowLoopsOf[T]().updateLoops
		numbers, count := int(a.Integers[0]), 1+states
		updated := takeUpdated[T](len(a.Inputs))
		defer giveUpdated(updated)
		for i, gradient := range a.Inputs {
			u := &updated[i]
			for j, scalar := range a.Scalars[i*numbers:][:numbers] {
				u.coefficients[j] = T(scalar)
			}
			var views [maxOperands]device.View
			copy(views[:], a.Outputs[i*count:][:count])
			views[count] = gradient
			u.nest.set(views[:count+1])
			u.walk = walk{nest: &u.nest, outputs: count, runner: runner{nanoseconds: light, plain: func(count int, p pointers) {
				step(loops, p, count, &u.coefficients)
			}}}
		}
		if areApart(updated) {
			updateTogether(t, updated)
		} else {
			for i := range updated {
				updated[i].walk.share(t)
			}
		}
		*(*bool)(a.Outputs[len(a.Outputs)-1].Pointer.Host) = true
		return nil
	}
}

// updatedArray is one of the arrays of an update, with its states and its gradient.
type updatedArray[T dtype.Float] struct {
	nest         nest
	walk         walk
	coefficients updateCoefficients[T]
}

var updatedPool32, updatedPool64 sync.Pool

func updatedPool[T dtype.Float]() *sync.Pool {
	if dtype.Of[T]() == dtype.Float32 {
		return &updatedPool32
	}
	return &updatedPool64
}

// takeUpdated returns so many arrays, to be given back.
func takeUpdated[T dtype.Float](count int) []updatedArray[T] {
	if kept, ok := updatedPool[T]().Get().(*[]updatedArray[T]); ok && cap(*kept) >= count {
		return (*kept)[:count]
	}
	return make([]updatedArray[T], count)
}

// giveUpdated puts arrays back, without what would keep memory alive.
func giveUpdated[T dtype.Float](updated []updatedArray[T]) {
	clear(updated)
	updatedPool[T]().Put(&updated)
}

func (u *updatedArray[T]) blocks() int { return (u.nest.count + u.nest.block() - 1) / u.nest.block() }

// updateTogether shares the blocks of all arrays among threads: a region for each of many little arrays would take longer than they do.
// A thread has about its part of every array, as of products, which leave gradients in its cache and find weights there.
func updateTogether[T dtype.Float](t *parallel.Thread, updated []updatedArray[T]) {
	elements, parts := 0, t.NumThreads()
	starts := make([]int, parts+1) // the blocks before each part
	for i := range updated {
		u := &updated[i]
		elements += u.nest.count
		for part := range starts {
			starts[part] += partOf(u.blocks(), parts, part)
		}
	}
	blocks := starts[parts]
	t.ForOwn(blocks, light*float64(elements)/float64(max(blocks, 1)), func(_ *parallel.Thread, lo, hi int) {
		part, _ := slices.BinarySearch(starts, lo+1)
		for part--; part < parts && starts[part] < hi; part++ {
			updatePart(updated, parts, part, lo-starts[part], hi-starts[part])
		}
	})
}

// updatePart updates the blocks from lo to before hi of a part of all arrays.
func updatePart[T dtype.Float](updated []updatedArray[T], parts, part, lo, hi int) {
	for i := range updated {
		u := &updated[i]
		first, last := partOf(u.blocks(), parts, part), partOf(u.blocks(), parts, part+1)
		block := u.nest.block()
		if from, to := (first+max(lo, 0))*block, min((first+min(hi, last-first))*block, u.nest.count); from < to {
			u.walk.run(from, to)
		}
		lo, hi = lo-(last-first), hi-(last-first)
	}
}

// partOf returns where a part of so many blocks begins. Of few the first part has one more.
func partOf(blocks, parts, part int) int { return (blocks*part + parts - 1) / parts }

// areApart reports whether no array, state or gradient shares memory with another, so that the order of the updates does not matter.
func areApart[T dtype.Float](updated []updatedArray[T]) bool {
	var room [32][2]uintptr
	extents := room[:0]
	for i := range updated {
		n := &updated[i].nest
		for j := 0; j < len(n.operands) && n.count > 0; j++ {
			extents = append(extents, n.operands[j].extent(n.shape))
		}
	}
	slices.SortFunc(extents, func(a, b [2]uintptr) int { return cmp.Compare(a[0], b[0]) })
	for i := 1; i < len(extents); i++ {
		if extents[i][0] < extents[i-1][1] {
			return false
		}
	}
	return true
}

// extent returns the address of the first byte of an operand of a nest of the given shape, and that behind its last.
func (o *operand) extent(shape []int) [2]uintptr {
	lo := uintptr(o.pointer)
	hi := lo + uintptr(o.size)
	for axis, length := range shape {
		reach := (length - 1) * o.strides[axis]
		lo, hi = lo+uintptr(min(reach, 0)), hi+uintptr(max(reach, 0))
	}
	return [2]uintptr{lo, hi}
}

func sgdStep[T dtype.Float](l *updateLoops[T], p pointers, count int, c *updateCoefficients[T]) {
	l.sgd((*T)(p[0]), (*T)(p[1]), (*T)(p[2]), count, c)
}

func adamStep[T dtype.Float](l *updateLoops[T], p pointers, count int, c *updateCoefficients[T]) {
	l.adam((*T)(p[0]), (*T)(p[1]), (*T)(p[2]), (*T)(p[3]), count, c)
}

func rmspropStep[T dtype.Float](l *updateLoops[T], p pointers, count int, c *updateCoefficients[T]) {
	l.rmsprop((*T)(p[0]), (*T)(p[1]), (*T)(p[2]), (*T)(p[3]), count, c)
}

var (
	_ = registerUpdate("sgd", 1, sgdStep[float32], sgdStep[float64])
	_ = registerUpdate("adam", 2, adamStep[float32], adamStep[float64])
	_ = registerUpdate("rmsprop", 2, rmspropStep[float32], rmspropStep[float64])
)

func registerUpdate(operator string, states int, single updateStep[float32], double updateStep[float64]) struct{} {
	return registerUpdates(operator, entry{dtype.Float32.String(), update(states, single)}, entry{dtype.Float64.String(), update(states, double)})
}

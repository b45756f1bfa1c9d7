package cpu

import (
	"cmp"
	"slices"

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
		updated := make([]updatedArray[T], len(a.Inputs))
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
	first        int // of its blocks among those of all arrays
}

// updateTogether shares the blocks of all arrays among threads: a region for each of many little arrays would take longer than they do.
func updateTogether[T dtype.Float](t *parallel.Thread, updated []updatedArray[T]) {
	blocks, elements := 0, 0
	for i := range updated {
		u := &updated[i]
		u.first = blocks
		blocks += (u.nest.count + u.nest.block() - 1) / u.nest.block()
		elements += u.nest.count
	}
	t.ForCost(blocks, light*float64(elements)/float64(max(blocks, 1)), func(_ *parallel.Thread, lo, hi int) {
		after, _ := slices.BinarySearchFunc(updated, lo, func(u updatedArray[T], block int) int { return cmp.Compare(u.first, block+1) })
		for i := after - 1; i < len(updated) && updated[i].first < hi; i++ {
			u := &updated[i]
			block := u.nest.block()
			if from, to := max(lo-u.first, 0)*block, min((hi-u.first)*block, u.nest.count); from < to {
				u.walk.run(from, to)
			}
		}
	})
}

// areApart reports whether no array, state or gradient shares memory with another, so that the order of the updates does not matter.
func areApart[T dtype.Float](updated []updatedArray[T]) bool {
	var room [16][2]uintptr
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

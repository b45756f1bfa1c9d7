package cpu

import (
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
		numbers := int(a.Integers[0])
		for i, gradient := range a.Inputs {
			c := new(updateCoefficients[T])
			for j, scalar := range a.Scalars[i*numbers:][:numbers] {
				c[j] = T(scalar)
			}
			first := i * (1 + states)
			n := newNest(append(append(make([]device.View, 0, 2+states), a.Outputs[first:first+1+states]...), gradient)...)
			apply(t, n, 1+states, true, light, func(count int, p pointers) { step(loops, p, count, c) })
		}
		*(*bool)(a.Outputs[len(a.Outputs)-1].Pointer.Host) = true
		return nil
	}
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

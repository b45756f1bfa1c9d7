package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// sgd is a step of gradient descent with momentum and weight decay on several tensors: Inputs[i] is a gradient g, Outputs[2i]
// the weights w and Outputs[2i+1] the velocity v, which are updated in place:
//
//	v = momentum·v + (g + decay·w)
//	w = w - rate·v
//
// Scalars are the rate, the momentum and the decay. The last output, a 0-d bool, is set to true at the end.
func sgd[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	rate, momentum, decay := T(a.Scalars[0]), T(a.Scalars[1]), T(a.Scalars[2])
	for i, gradient := range a.Inputs {
		n := newNest(a.Outputs[2*i], a.Outputs[2*i+1], gradient)
		apply(t, n, 2, true, 2*light, func(count int, p pointers) {
			descend(slice[T](p[0], count), slice[T](p[1], count), slice[T](p[2], count), rate, momentum, decay)
		})
	}
	*(*bool)(a.Outputs[len(a.Outputs)-1].Pointer.Host) = true
	return nil
}

// descend rounds every product by a conversion, which keeps processors with fused multiply-add from differing from others.
func descend[T dtype.Float](weight, velocity, gradient []T, rate, momentum, decay T) {
	velocity, gradient = velocity[:len(weight)], gradient[:len(weight)]
	for i, w := range weight {
		v := T(momentum*velocity[i]) + (gradient[i] + T(decay*w))
		velocity[i] = v
		weight[i] = w - T(rate*v)
	}
}

var _ = register("sgd", entry{dtype.Float32.String(), sgd[float32]}, entry{dtype.Float64.String(), sgd[float64]})

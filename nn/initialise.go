package nn

import (
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// Initialiser draws the weights of a layer, of the given shape, each result of which is a sum of so many inputs, and each input of
// which goes into so many outputs.
type Initialiser func(env *nd.Env, inputs, outputs int, shape ...int) *nd.Array

// HeUniform draws uniformly with variance 2/inputs, which keeps the scale of rectified activations (He et al., "Delving deep into
// rectifiers", 2015). It is what layers begin with.
func HeUniform(env *nd.Env, inputs, _ int, shape ...int) *nd.Array {
	return centredUniform(env, 2/float64(max(inputs, 1)), shape)
}

// HeNormal draws from a normal distribution with the variance of HeUniform.
func HeNormal(env *nd.Env, inputs, _ int, shape ...int) *nd.Array {
	return random.Normal(env, dtype.Float32, 0, math.Sqrt(2/float64(max(inputs, 1))), shape...)
}

// XavierUniform draws uniformly with variance 2/(inputs+outputs), which keeps the scale of activations and of their gradients where
// activations are nearly linear, as tanh is at zero (Glorot and Bengio, "Understanding the difficulty of training deep feedforward
// neural networks", 2010).
func XavierUniform(env *nd.Env, inputs, outputs int, shape ...int) *nd.Array {
	return centredUniform(env, 2/float64(max(inputs+outputs, 1)), shape)
}

// XavierNormal draws from a normal distribution with the variance of XavierUniform.
func XavierNormal(env *nd.Env, inputs, outputs int, shape ...int) *nd.Array {
	return random.Normal(env, dtype.Float32, 0, math.Sqrt(2/float64(max(inputs+outputs, 1))), shape...)
}

func centredUniform(env *nd.Env, variance float64, shape []int) *nd.Array {
	bound := math.Sqrt(3 * variance)
	return random.Uniform(env, dtype.Float32, -bound, bound, shape...)
}

// Weighted is a layer with weights that an Initialiser can draw.
type Weighted interface {
	Layer
	// Initialise replaces the weights, and sets biases to zero.
	Initialise(env *nd.Env, draw Initialiser)
}

// Initialise draws the weights of a layer anew, and those of all layers in a Sequential one, with the generator of env. What has
// no weights to draw stays as it is.
func Initialise(l Layer, env *nd.Env, draw Initialiser) {
	if isNil(l) {
		mistake("Initialise", fault.ErrMisuse, "the layer is nil")
	}
	checkDrawing("Initialise", env, draw)
	if w, ok := l.(Weighted); ok {
		w.Initialise(env, draw)
	}
}

// Initialise implements Weighted.
func (s *Sequential) Initialise(env *nd.Env, draw Initialiser) {
	for _, l := range s.layers {
		Initialise(l, env, draw)
	}
}

// Initialise implements Weighted.
func (d *Dense) Initialise(env *nd.Env, draw Initialiser) {
	checkDrawing("Dense.Initialise", env, draw)
	d.must("Dense")
	shape := d.weight.Shape()
	nd.CopyInto(d.weight, draw(env, shape[0], shape[1], shape...))
	clearBias(env, d.bias)
}

// Initialise implements Weighted.
func (c *Conv) Initialise(env *nd.Env, draw Initialiser) {
	checkDrawing("Conv.Initialise", env, draw)
	c.must("Conv")
	inputs, outputs := c.terms(c.weight.Shape())
	nd.CopyInto(c.weight, draw(env, inputs, outputs, c.weight.Shape()...))
	clearBias(env, c.bias)
}

// terms returns of how many elements a result of the layer is a sum, and into how many results an element goes, with a stride of 1.
func (c *Conv) terms(shape []int) (inputs, outputs int) {
	window := 1
	for _, n := range shape[2:] {
		window *= n
	}
	inputs, outputs = shape[1]*window, shape[0]/max(1, c.windows.groups)*window
	if c.transposed {
		inputs, outputs = outputs, inputs
	}
	return inputs, outputs
}

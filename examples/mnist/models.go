package main

import (
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// model is a network that -model names, with the settings that suit it.
type model struct {
	build func(env *nd.Env) *nn.Sequential // from rows of pixels to a score for each class
	rate  float64                          // defaults of -lr, -decay and -shift
	decay float64
	shift int
}

var models = map[string]model{"mlp": {newMLP, 0.05, 0.7, 0}, "lenet": {newLeNet, 0.02, 0.7, 2}}

func newMLP(env *nd.Env) *nn.Sequential {
	return nn.NewSequential(
		nn.NewDense(env, pixels, 128), nn.Relu,
		nn.NewDense(env, 128, 64), nn.Relu,
		nn.NewDense(env, 64, classes),
	)
}

// newLeNet is the network of LeCun and others, "Gradient-based learning applied to document recognition" (1998), in the form that
// has become usual: more filters, rectifiers, and the largest of each window.
func newLeNet(env *nd.Env) *nn.Sequential {
	image := nn.Func(func(x *nd.Array) *nd.Array { return x.Reshape(-1, 1, side, side) })
	return nn.NewSequential(image,
		nn.NewConv2D(env, 1, 20, 5), nn.Relu, nn.NewMaxPool2D(2),
		nn.NewConv2D(env, 20, 50, 5), nn.Relu, nn.NewMaxPool2D(2),
		nn.Flatten,
		nn.NewDense(env, 50*4*4, 500), nn.Relu,
		nn.NewDense(env, 500, classes),
	)
}

package ops

import "math"

// Activations of neural networks, element by element.
var (
	Sigmoid = unary("sigmoid", "1 / (1 + exp(−x))", floating, SaveOutputs, func(r *Rule) {
		y := r.Output()
		r.Set(0, r.Mul(r.Upstream(), r.Mul(y, r.Sub(r.Constant(1, y), y))))
	})

	// The gradient at zero is zero.
	Relu = unary("relu", "x where it is positive, else 0", numeric, SaveOutputs, func(r *Rule) {
		r.Set(0, r.Apply("relu_gradient", nil, r.Output(), r.Upstream()))
	})

	// The results stay the same between steps of a.
	ReluGradient = binary("relu_gradient", "b where a is positive, else 0: the gradient of relu, whose result is a and upstream gradient b; 0 even where b is NaN or infinite", floating, SaveInputs, func(r *Rule) {
		if r.Wants(0) {
			r.Set(0, r.zeros(r.Shape(0)))
		}
		if r.Wants(1) {
			r.Set(1, r.Apply("relu_gradient", nil, r.Input(0), r.Upstream()))
		}
	})

	Silu = unary("silu", "x · sigmoid(x)", floating, SaveInputs, func(r *Rule) {
		x := r.Input(0)
		y := r.Apply("sigmoid", nil, x)
		r.Set(0, r.Mul(r.Upstream(), r.Mul(y, r.onePlus(r.Mul(x, r.oneMinus(y))))))
	})

	Softplus = unary("softplus", "log(1 + exp(x))", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Mul(r.Upstream(), r.Apply("sigmoid", nil, r.Input(0))))
	})

	// Hendrycks and Gimpel, "Gaussian error linear units", 2016, without approximations. The gradient is Φ(x) + x φ(x), Φ and φ
	// being the distribution function and the density of the normal distribution.
	Gelu = unary("gelu", "x · (1 + erf(x/√2)) / 2", floating, SaveInputs, func(r *Rule) {
		r.Set(0, r.Apply("gelu_gradient", nil, r.Input(0), r.Upstream()))
	})

	GeluGradient = binary("gelu_gradient", "b · (Φ(a) + a φ(a)), where Φ and φ are the distribution function and the density of the normal distribution: the gradient of gelu, whose operand is a and upstream gradient b", floating, SaveInputs, func(r *Rule) {
		x := r.Input(0)
		if r.Wants(0) {
			square := r.Apply("square", nil, x)
			density := r.Scale(r.Apply("exp", nil, r.Scale(square, -0.5)), 1/math.Sqrt(2*math.Pi))
			r.Set(0, r.Mul(r.Mul(r.Upstream(), r.Input(1)), r.Mul(density, r.Sub(r.Constant(2, x), square))))
		}
		if r.Wants(1) {
			r.Set(1, r.Apply("gelu_gradient", nil, x, r.Upstream()))
		}
	})
)

// Activation is a function that operators can end with, with the bits of the operator of its own.
type Activation string

// The activations.
const (
	NoActivation   Activation = "none"
	ReluActivation Activation = "relu"
	GeluActivation Activation = "gelu"
)

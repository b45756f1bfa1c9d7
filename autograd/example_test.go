package autograd_test

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
)

func ExampleTape() {
	x := nd.FromSlice([]float64{1, 2, 3})
	tape := autograd.NewTape()
	loss := tape.Watch(x).Square().Sum()
	fmt.Println(tape.Gradient(loss, x)[0])
	// Output: [2. 4. 6.]
}

func ExampleTape_GradientAddInto() {
	w, sum := nd.FromSlice([]float64{1, 2}), []*nd.Array{nd.Zeros[float64](2)}
	for part := range 3 { // of a batch
		tape := autograd.NewTape()
		loss := tape.Watch(w).MulScalar(float64(part)).Sum()
		tape.GradientAddInto(sum, loss, w)
	}
	fmt.Println(sum[0])
	// Output: [3. 3.]
}

func ExampleValueAndGradient() {
	distance := func(xs ...*nd.Array) *nd.Array { return xs[0].Sub(xs[1]).Square().Sum() }
	value, gradients := autograd.ValueAndGradient(distance, nd.FromSlice([]float64{1, 2}), nd.FromSlice([]float64{0, 4}))
	fmt.Println(value, gradients)
	// Output: 5.0 [[ 2. -4.] [-2.  4.]]
}

func ExampleJacobian() {
	polar := func(x *nd.Array) *nd.Array { // to Cartesian
		r, angle := x.Index(0), x.Index(1)
		return nd.Stack(0, r.Mul(angle.Cos()), r.Mul(angle.Sin()))
	}
	fmt.Println(autograd.Jacobian(polar, nd.FromSlice([]float64{2, 0})))
	// Output:
	// [[1. 0.]
	//  [0. 2.]]
}

func ExampleHessian() {
	f := func(x *nd.Array) *nd.Array { return x.Index(0).Square().Mul(x.Index(1)) }
	fmt.Println(autograd.Hessian(f, nd.FromSlice([]float64{3, 5})))
	// Output:
	// [[10.  6.]
	//  [ 6.  0.]]
}

func ExampleHessianVector() {
	f := func(x *nd.Array) *nd.Array { return x.Index(0).Square().Mul(x.Index(1)) }
	fmt.Println(autograd.HessianVector(f, nd.FromSlice([]float64{3, 5}), nd.FromSlice([]float64{1, 1})))
	// Output: [16.  6.]
}

// The logarithm of 1 + exp(x), whose gradient is computed from the saved operand, without a large exponential.
func ExampleFunction() {
	softplus := &autograd.Function{
		Name: "softplus",
		Forward: func(in []*nd.Array) (outputs, saved []*nd.Array) {
			x := in[0]
			return []*nd.Array{x.Relu().Add(x.Abs().Neg().Exp().Log1p())}, in
		},
		Backward: func(saved, upstream []*nd.Array) []*nd.Array {
			return []*nd.Array{upstream[0].Mul(saved[0].Sigmoid())}
		},
	}
	x := nd.FromSlice([]float64{-1000, 0, 1000})
	tape := autograd.NewTape()
	y := softplus.Call(tape.Watch(x))[0]
	fmt.Println(tape.Gradient(y.Sum(), x)[0])
	// Output: [0.  0.5 1. ]
}

// A function computed by Go: the error of its derivative is told, not hidden, should somebody differentiate again.
func ExampleFunction_once() {
	inGo := func(a *nd.Array, f func(float64) float64) *nd.Array {
		elements, err := nd.Values[float64](a)
		if err != nil {
			panic(err)
		}
		for i, v := range elements {
			elements[i] = f(v)
		}
		return nd.FromSlice(elements)
	}
	bessel := &autograd.Function{
		Name: "bessel",
		Once: true,
		Forward: func(in []*nd.Array) (outputs, saved []*nd.Array) {
			return []*nd.Array{inGo(in[0], math.J0)}, in
		},
		Backward: func(saved, upstream []*nd.Array) []*nd.Array {
			return []*nd.Array{inGo(saved[0], math.J1).Neg().Mul(upstream[0])}
		},
	}
	x := nd.FromSlice([]float64{0, 1})
	tape := autograd.NewTape()
	y := bessel.Call(tape.Watch(x))[0]
	slope, err := nd.Values[float64](tape.Gradient(y.Sum(), x)[0])
	fmt.Printf("%.4f %v\n", slope[1], err)
	// Output: -0.4401 <nil>
}

// Of the twelve arrays that the layers compute, a tape holds two, and again those of one block at a time.
func ExampleCheckpoint() {
	block := func(in []*nd.Array) []*nd.Array {
		y := in[0]
		for range 6 {
			y = y.MulScalar(2).Sin()
		}
		return []*nd.Array{y}
	}
	x := nd.FromSlice([]float64{0})
	tape := autograd.NewTape()
	y := autograd.Checkpoint(block, tape.Watch(x))[0]
	y = autograd.Checkpoint(block, y)[0]
	fmt.Println(tape.Gradient(y.Sum(), x)[0])
	// Output: [4096.]
}

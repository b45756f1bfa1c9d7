package optim_test

import (
	"context"
	"fmt"

	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/optim"
)

func ExampleNewSGD() {
	w := nd.FromSlice([]float32{1, 2})
	opt := optim.NewSGD([]*nd.Array{w}, 0.5)
	err := opt.Step(context.Background(), []*nd.Array{nd.FromSlice([]float32{1, -1})})
	fmt.Println(w, err)
	// Output: [0.5 2.5] <nil>
}

func ExampleOptimiser_Step() {
	w := nd.FromSlice([]float32{1})
	opt := optim.NewAdam([]*nd.Array{w}, 0.1)
	for range 3 {
		if err := opt.Step(context.Background(), []*nd.Array{w.MulScalar(2)}); err != nil { // the gradient of w²
			fmt.Println(err)
		}
	}
	fmt.Printf("%d %.2f\n", opt.Steps(), w)
	// Output: 3 [0.70]
}

func ExampleOptimiser_Minimise() {
	w := nd.FromSlice([]float32{3})
	opt := optim.NewSGD([]*nd.Array{w}, 0.25)
	for range 4 {
		tape := autograd.NewTape()
		loss := tape.Watch(w).Square().Sum()
		if err := opt.Minimise(context.Background(), tape, loss); err != nil {
			fmt.Println(err)
		}
		tape.Close()
	}
	fmt.Println(w)
	// Output: [0.1875]
}

func ExampleMomentum() {
	w := nd.FromSlice([]float32{0})
	opt := optim.NewSGD([]*nd.Array{w}, 1, optim.Momentum(0.5), optim.Nesterov())
	fmt.Println(len(opt.State()), opt.LearningRate())
	// Output: 2 1
}

func ExampleCosine() {
	schedule := optim.WarmUp(2, optim.Cosine(1, 0, 4))
	for step := range 6 {
		fmt.Printf("%.2f ", schedule(step))
	}
	// Output: 0.33 0.67 1.00 0.85 0.50 0.15
}

func ExampleClipNorm() {
	gradients := []*nd.Array{nd.FromSlice([]float32{3, 4})}
	norm := optim.ClipNorm(gradients, 1) // of all gradients together
	fmt.Printf("%.1f %.1f\n", norm, gradients[0])
	// Output: 5.0 [0.6 0.8]
}

func ExampleOptimiser_State() {
	w := []*nd.Array{nd.FromSlice([]float32{1})}
	first, second := optim.NewAdam(w, 0.1), optim.NewAdam(w, 0.1)
	if err := first.Step(context.Background(), w); err != nil {
		fmt.Println(err)
	}
	fmt.Println(second.SetState(first.State()), second.Steps()) // nd.SaveNPZ writes states to files
	// Output: <nil> 1
}

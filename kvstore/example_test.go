package kvstore_test

import (
	"context"
	"fmt"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kvstore"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
)

func ExampleStore_PushPull() {
	store := kvstore.NewLocal(nd.DefaultEnv(), []device.Device{device.CPU(0), device.CPU(1)})
	store.Init("gradient", nd.Zeros[float32](3))
	parts := []*nd.Array{nd.FromSlice([]float32{1, 2, 3}), nd.FromSlice([]float32{10, 20, 30}).To(device.CPU(1))}
	store.PushPull("gradient", parts, parts, 0)
	fmt.Println(parts[1], store.Close(context.Background()))
	// Output: [11. 22. 33.] <nil>
}

func ExampleWithUpdater() {
	descend := func(_ string, gradient, weight *nd.Array) *nd.Array { return weight.Sub(gradient.MulScalar(0.5)) }
	store := kvstore.NewLocal(nd.DefaultEnv(), []device.Device{device.CPU(0)}, kvstore.WithUpdater(descend))
	store.Init("weight", nd.FromSlice([]float32{1, 2}))
	store.Push("weight", []*nd.Array{nd.FromSlice([]float32{1, -1})}, 0)
	fmt.Println(store.Value("weight"))
	// Output: [0.5 2.5]
}

func ExampleTrainer() {
	env := nd.DefaultEnv().WithSeed(1)
	store := kvstore.NewLocal(env, []device.Device{device.CPU(0), device.CPU(1)})
	var replicas []nn.Layer
	for _, d := range store.Devices() {
		replicas = append(replicas, nn.NewDense(env.WithDevice(d), 1, 1))
	}
	trainer := kvstore.NewTrainer(store, replicas, func(weights []*nd.Array) *optim.Optimiser { return optim.NewSGD(weights, 0.1) })
	x := nd.FromSlice([]float32{-1, 0, 1, 2}, 4, 1)
	y := x.MulScalar(3).AddScalar(1)
	for range 200 {
		if _, err := trainer.Step(context.Background(), x, y, nn.SquaredError); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("%.2f %.2f\n", store.Value("weight"), store.Value("bias"))
	// Output: [[3.00]] [1.00]
}

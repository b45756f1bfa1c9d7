package nn_test

import (
	"fmt"

	"github.com/weft-nd/weft/autograd"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

func ExampleNewSequential() {
	env := nd.DefaultEnv()
	model := nn.NewSequential(nn.NewDense(env, 3, 4), nn.Relu, nn.NewDense(env, 4, 2))
	y := model.Forward(nn.Infer(), nd.Ones[float32](5, 3))
	fmt.Println(y.Shape(), len(model.Params()))
	// Output: [5 2] 4
}

func ExampleTrain() {
	env := nd.DefaultEnv()
	model, tape := nn.NewDense(env, 3, 2), autograd.NewTape()
	c := nn.Train(tape, env.Generator()) // layers record, and behave as in training
	loss := nn.SoftmaxCrossEntropy(model.Forward(c, nd.Ones[float32](1, 3)), nd.FromSlice([]int64{1}))
	for _, gradient := range tape.Gradient(loss, nn.Params(model)...) {
		fmt.Println(gradient.Shape())
	}
	// Output:
	// [3 2]
	// [2]
}

func ExampleNewDense() {
	layer := nn.NewDense(nd.DefaultEnv(), 3, 2)
	for name, parameter := range layer.Named() {
		fmt.Println(name, parameter.Shape())
	}
	// Output:
	// weight [3 2]
	// bias [2]
}

func ExampleInitialise() {
	env := nd.DefaultEnv().WithSeed(1)
	layer := nn.NewDense(env, 3, 2)
	nn.Initialise(layer, env, nn.XavierUniform)
	weight := nn.Params(layer)[0]
	fmt.Println(weight.Abs().Max().LessScalar(1.1)) // √(6 / (3 + 2)) at most
	// Output: True
}

func ExampleNewConv2D() {
	layer := nn.NewConv2D(nd.DefaultEnv(), 3, 8, 3, nn.Padding(1), nn.Stride(2))
	fmt.Println(layer.Forward(nn.Infer(), nd.Ones[float32](1, 3, 8, 8)).Shape())
	// Output: [1 8 4 4]
}

func ExampleStride() {
	pool := nn.NewMaxPool2D(3, nn.Stride(1), nn.Padding(1))
	fmt.Println(pool.Forward(nn.Infer(), nd.Ones[float32](1, 1, 4, 4)).Shape())
	// Output: [1 1 4 4]
}

func ExampleNewMaxPool2D() {
	x := nd.Arange[float32](0, 16, 1).Reshape(1, 1, 4, 4)
	fmt.Println(nn.NewMaxPool2D(2).Forward(nn.Infer(), x).Index(0, 0))
	// Output:
	// [[ 5.  7.]
	//  [13. 15.]]
}

func ExampleNewBatchNorm() {
	env := nd.DefaultEnv()
	layer, x := nn.NewBatchNorm(env, 1), nd.FromSlice([]float32{1, 3}, 2, 1)
	fmt.Printf("%.2f\n", layer.Forward(nn.Train(autograd.NewTape(), env.Generator()), x).T()) // by the batch itself
	fmt.Println(layer.Forward(nn.Infer(), x).Shape())                                         // by running averages
	// Output:
	// [[-1.00  1.00]]
	// [2 1]
}

func ExampleNewLayerNorm() {
	layer := nn.NewLayerNorm(nd.DefaultEnv(), 2)
	fmt.Printf("%.2f\n", layer.Forward(nn.Infer(), nd.FromSlice([]float32{1, 3}, 1, 2)))
	// Output: [[-1.00  1.00]]
}

func ExampleNewDropout() {
	layer, x := nn.NewDropout(0.5), nd.Ones[float32](1000)
	c := nn.Train(nil, nd.DefaultEnv().WithSeed(1).Generator())
	kept := layer.Forward(c, x)
	fmt.Println(kept.Max(), layer.Forward(nn.Infer(), x).Mean()) // those that are kept are scaled
	// Output: 2.0 1.0
}

func ExampleNewEmbedding() {
	layer := nn.NewEmbedding(nd.DefaultEnv(), 10, 4)
	fmt.Println(layer.Forward(nn.Infer(), nd.FromSlice([]int64{3, 7, 3})).Shape())
	// Output: [3 4]
}

func ExampleNewPositionalEmbedding() {
	env := nd.DefaultEnv()
	layer := nn.NewSequential(nn.NewEmbedding(env, 10, 4), nn.NewPositionalEmbedding(env, 8, 4))
	fmt.Println(layer.Forward(nn.Infer(), nd.FromSlice([]int64{3, 7, 3}, 1, 3)).Shape())
	// Output: [1 3 4]
}

func ExampleSoftmaxCrossEntropy() {
	logits := nd.FromSlice([]float32{2, 0, 0, 2}, 2, 2)
	fmt.Printf("%.4f\n", nn.SoftmaxCrossEntropy(logits, nd.FromSlice([]int64{0, 1})))
	smooth := nd.FromSlice([]float32{0.9, 0.1, 0.1, 0.9}, 2, 2)
	fmt.Printf("%.4f\n", nn.SoftmaxCrossEntropy(logits, smooth))
	// Output:
	// 0.1269
	// 0.3269
}

func ExampleAccuracy() {
	logits := nd.FromSlice([]float32{2, 0, 0, 2}, 2, 2)
	fmt.Println(nn.Accuracy(logits, nd.FromSlice([]int64{0, 0})))
	// Output: 0.5
}

func ExampleFromPyTorch() {
	model := nn.NewSequential(nn.NewDense(nd.DefaultEnv(), 3, 2), nn.NewLayerNorm(nd.DefaultEnv(), 2))
	state := map[string]*nd.Array{ // as nd.LoadSafetensors gives it
		"0.weight": nd.Ones[float32](2, 3), "0.bias": nd.FromSlice([]float32{1, 3}), "1.weight": nd.Ones[float32](2), "1.bias": nd.Zeros[float32](2),
	}
	fmt.Println(nn.SetState(model, nn.FromPyTorch(model, state)))
	fmt.Printf("%.3f\n", model.Forward(nn.Infer(), nd.Ones[float32](1, 3)))
	// Output:
	// <nil>
	// [[-1.000  1.000]]
}

func ExampleState() {
	env := nd.DefaultEnv()
	first, second := nn.NewDense(env, 3, 2), nn.NewDense(env, 3, 2)
	fmt.Println(nn.SetState(second, nn.State(first))) // nd.SaveNPZ writes states to files
	fmt.Println(nn.Params(first)[0].Equal(nn.Params(second)[0]).AllTrue())
	fmt.Println(nn.SetState(nn.NewDense(env, 5, 2), nn.State(first)) != nil)
	// Output:
	// <nil>
	// True
	// true
}

// A normalisation takes means away, and has a bias of its own.
func ExampleUnbiased() {
	env := nd.DefaultEnv()
	model := nn.NewSequential(nn.NewConv2D(env, 3, 16, 3, nn.Padding(1), nn.Unbiased()), nn.NewBatchNorm(env, 16), nn.Relu)
	for name := range model.Named() {
		fmt.Println(name)
	}
	// Output:
	// 0.weight
	// 1.scale
	// 1.bias
}

func ExampleLeakyRelu() {
	layer := nn.LeakyRelu(0.5)
	fmt.Println(layer.Forward(nn.Infer(), nd.FromSlice([]float32{-2, 3})))
	// Output: [-1.  3.]
}

func ExampleBuild() {
	env := nd.DefaultEnv()
	model := nn.NewSequential(nn.NewDense(env, nn.Unknown, 8), nn.Relu, nn.NewDense(env, nn.Unknown, 2))
	nn.Build(model, nd.Zeros[float32](0, 5))
	for _, p := range nn.Params(model) {
		fmt.Print(p.Shape(), " ")
	}
	// Output: [5 8] [8] [8 2] [2]
}

func ExampleNewMultiHeadAttention() {
	env := nd.DefaultEnv()
	layer := nn.NewMultiHeadAttention(env, 8, 2, nn.Causal())
	x := nd.Ones[float32](3, 5, 8) // three texts of five characters
	fmt.Println(layer.Forward(nn.Infer(), x).Shape())
	// Output: [3 5 8]
}

func ExampleNewResidual() {
	block := nn.NewResidual(nn.Func(func(x *nd.Array) *nd.Array { return x.MulScalar(0.5) }))
	fmt.Println(block.Forward(nn.Infer(), nd.FromSlice([]float32{2, 4})))
	// Output: [3. 6.]
}

func ExampleParts() {
	env := nd.DefaultEnv()
	// scaled is a layer of one's own, made of two others.
	type scaled struct {
		nn.Parts
		main, gate *nn.Dense
	}
	l := scaled{main: nn.NewDense(env, 4, 2), gate: nn.NewDense(env, 4, 2)}
	l.Parts = nn.Parts{{Name: "main", Layer: l.main}, {Name: "gate", Layer: l.gate}}
	for name, p := range l.Named() {
		fmt.Print(name, p.Shape(), " ")
	}
	// Output: main.weight[4 2] main.bias[2] gate.weight[4 2] gate.bias[2]
}

func ExampleNewLSTM() {
	env := nd.DefaultEnv()
	model := nn.NewSequential(nn.NewEmbedding(env, 100, 8), nn.NewLSTM(env, 8, 16, nn.Stacked(2), nn.DropBetween(0.2)), nn.NewDense(env, 16, 100))
	fmt.Println(model.Forward(nn.Infer(), nd.Zeros[int64](4, 10)).Shape())
	// Output: [4 10 100]
}

func ExampleLSTM_Run() {
	layer := nn.NewLSTM(nd.DefaultEnv(), 3, 2, nn.Bidirectional())
	x, lengths := nd.Ones[float32](2, 5, 3), nd.FromSlice([]int64{5, 1})
	y, h, cells := layer.Run(nn.Infer(), x, lengths, nil, nil)
	fmt.Println(y.Shape(), h.Shape(), cells.Shape())
	fmt.Println(y.Index(1, 1)) // behind the end of the second sample
	// Output:
	// [2 5 4] [2 2 2] [2 2 2]
	// [0. 0. 0. 0.]
}

func ExampleNewGRU() {
	for name, parameter := range nn.NewGRU(nd.DefaultEnv(), 3, 2).Named() {
		fmt.Println(name, parameter.Shape())
	}
	// Output:
	// weight_ih_l0 [6 3]
	// weight_hh_l0 [6 2]
	// bias_ih_l0 [6]
	// bias_hh_l0 [6]
}

func ExampleNewRNN() {
	layer := nn.NewRNN(nd.DefaultEnv(), 3, 2, nn.Rectified())
	fmt.Println(layer.Forward(nn.Infer(), nd.Ones[float32](2, 5, 3)).Min().LessScalar(0))
	// Output: False
}

func ExampleGRUCell_Step() {
	cell, h := nn.NewGRUCell(nd.DefaultEnv(), 2, 2), nd.Zeros[float32](1, 2)
	for range 3 {
		h = cell.Step(nn.Infer(), h, h) // what it said is what it hears
	}
	fmt.Println(h.Shape())
	// Output: [1 2]
}

func ExampleStacked() {
	layer := nn.NewRNN(nd.DefaultEnv(), 3, 2, nn.Stacked(2), nn.Bidirectional(), nn.Unbiased())
	for name, parameter := range layer.Named() {
		fmt.Println(name, parameter.Shape())
	}
	// Output:
	// weight_ih_l0 [2 3]
	// weight_hh_l0 [2 2]
	// weight_ih_l0_reverse [2 3]
	// weight_hh_l0_reverse [2 2]
	// weight_ih_l1 [2 4]
	// weight_hh_l1 [2 2]
	// weight_ih_l1_reverse [2 4]
	// weight_hh_l1_reverse [2 2]
}

package nn_test

import (
	"fmt"

	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// Sizes that follow from others need not be counted.
func ExampleSummarise() {
	env := nd.DefaultEnv()
	model := nn.NewSequential(
		nn.NewConv2D(env, 1, 20, 5), nn.Relu, nn.NewMaxPool2D(2),
		nn.Flatten, nn.NewDense(env, nn.Unknown, 10),
	)
	fmt.Print(nn.Summarise(model, nd.Zeros[float32](64, 1, 28, 28)))
	// Output:
	// layer  kind     output         dtype    parameters
	//        input    (64,1,28,28)
	// 0      Conv     (64,20,24,24)  float32  520
	// 1      Relu     (64,20,24,24)  float32  0
	// 2      Pool     (64,20,12,12)  float32  0
	// 3      Flatten  (64,2880)      float32  0
	// 4      Dense    (64,10)        float32  28,810
	// 29,330 parameters in 117,320 bytes; outputs take 7,375,360 bytes
}

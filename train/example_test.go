package train_test

import (
	"context"
	"fmt"

	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/train"
)

// A straight line is fitted to points on it.
func ExampleTrainer() {
	env := nd.DefaultEnv().WithSeed(1)
	x := nd.Linspace[float32](-1, 1, 64).Reshape(64, 1)
	y := x.MulScalar(3).AddScalar(-1)
	model := nn.NewDense(env, 1, 1)
	t := &train.Trainer{
		Env: env, Model: model, Loss: nn.SquaredError,
		Optimiser: optim.NewSGD(nn.Params(model), 0.1),
		Loader:    data.NewLoader(data.Arrays(x, y), 16, data.Shuffle(env)),
		Callbacks: []train.Callback{train.Func(func(_ context.Context, e *train.Event) error {
			if e.Kind == train.EpochEnded && e.Loss < 1e-6 {
				return train.ErrStop
			}
			return nil
		})},
	}
	if err := t.Fit(context.Background(), 100); err != nil {
		fmt.Println(err)
		return
	}
	for name, p := range model.Named() {
		fmt.Printf("%s %.2f\n", name, p.Reshape())
	}
	// Output:
	// weight 3.00
	// bias -1.00
}

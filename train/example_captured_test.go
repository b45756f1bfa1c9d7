package train_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/random"
)

// descend makes some steps of descent on one batch, and returns the loss before the last.
func descend(ctx context.Context, env *nd.Env, model *nn.Sequential, descent *optim.Optimiser, x, labels *nd.Array) (*nd.Array, error) {
	pass := nd.NewCaptured(env, func(env *nd.Env, batch []*nd.Array) []*nd.Array {
		tape := autograd.NewTape()
		outputs := model.Forward(nn.Train(tape, env.Generator()).In(env), batch[0])
		loss := nn.SoftmaxCrossEntropy(outputs, batch[1])
		return append(tape.Gradient(loss, model.Params()...), loss.Detach())
	})
	defer pass.Release()
	var loss *nd.Array
	for range 50 {
		results := pass.Call(x, labels)
		last := len(results) - 1
		if err := descent.Step(ctx, results[:last]); err != nil {
			return nil, err
		}
		loss = results[last] // overwritten by the next step
	}
	return loss, nil
}

// A loop of one's own, whose pass is captured.
func Example_captured() {
	env := nd.DefaultEnv().WithSeed(1)
	model := nn.NewSequential(nn.NewDense(env, 2, 8), nn.Relu, nn.NewDense(env, 8, 2))
	x := random.Normal(env, dtype.Float32, 0, 1, 32, 2)
	labels := x.Prod(1).Less(nd.Weak(0.0)).Cast(dtype.Int64) // whether the signs differ
	loss, err := descend(context.Background(), env, model, optim.NewAdam(model.Params(), 0.1), x, labels)
	if err != nil {
		fmt.Println(err)
		return
	}
	value, err := nd.Item[float32](loss)
	fmt.Println(value < 0.1, err)
	// Output: true <nil>
}

func TestTheGuideToTrainingQuotesTheExample(t *testing.T) {
	guide, err := os.ReadFile("../docs/training.md")
	require.NoError(t, err)
	source, err := os.ReadFile("example_captured_test.go")
	require.NoError(t, err)
	quote := regexp.MustCompile("(?s)```go\n(pass := .*?)```").FindStringSubmatch(string(guide))
	require.NotNil(t, quote)
	require.Contains(t, regexp.MustCompile(`(?m)^\t`).ReplaceAllString(string(source), ""), quote[1])
}

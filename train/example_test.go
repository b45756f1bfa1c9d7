package train_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/train"
)

// line fits a straight line to points on one, with the given callbacks.
func line(rate float64, callbacks ...train.Callback) *train.Trainer {
	env := nd.DefaultEnv().WithSeed(1)
	x := nd.Linspace[float32](-1, 1, 64).Reshape(64, 1)
	y := x.MulScalar(3).AddScalar(-1)
	model := nn.NewDense(env, 1, 1)
	return &train.Trainer{
		Env: env, Model: model, Loss: nn.SquaredError,
		Optimiser: optim.NewSGD(nn.Params(model), rate),
		Loader:    data.NewLoader(data.Arrays(x, y), 16, data.Shuffle(env)),
		Callbacks: callbacks,
	}
}

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

// A function is told of the events of a training.
func ExampleFunc() {
	steps := train.Func(func(_ context.Context, e *train.Event) error {
		if e.Kind == train.Stepped && e.Step%3 == 0 {
			fmt.Printf("epoch %d of %d, step %d: %d samples\n", e.Epoch, e.Epochs, e.Step, e.Samples)
		}
		return nil
	})
	fmt.Println(line(0.1, steps).Fit(context.Background(), 2))
	// Output:
	// epoch 1 of 2, step 3: 16 samples
	// epoch 2 of 2, step 6: 16 samples
	// <nil>
}

// A training ends when its loss was no lower in two epochs one after another.
func ExampleNewEarlyStopping() {
	still := line(0, train.NewEarlyStopping("loss", false, 2)) // a rate of zero learns nothing
	err := still.Fit(context.Background(), 100)
	fmt.Println("epochs:", still.Step()/still.Loader.Len(), err)
	// Output: epochs: 3 <nil>
}

// The parameters of the best epoch are written to a file.
func ExampleNewBest() {
	folder, err := os.MkdirTemp("", "best")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	best := train.NewBest(filepath.Join(folder, "best.npz"), "loss", false)
	if err := line(0.1, best).Fit(context.Background(), 5); err != nil {
		fmt.Println(err)
		return
	}
	epoch, _ := best.Epoch()
	arrays, err := nd.LoadNPZ(filepath.Join(folder, "best.npz"))
	fmt.Println("epoch", epoch, slices.Sorted(maps.Keys(arrays)), err)
	// Output: epoch 5 [bias weight] <nil>
}

// People read a line about each epoch, and some on its way.
func ExampleNewProgress() {
	var lines strings.Builder
	err := line(0.1, train.NewProgress(&lines)).Fit(context.Background(), 1)
	for text := range strings.Lines(lines.String()) {
		fmt.Println(strings.Join(strings.Fields(text)[:5], " "))
	}
	fmt.Println(err)
	// Output:
	// epoch 1/1 20% step 1
	// epoch 1/1 50% step 2
	// epoch 1/1 70% step 3
	// epoch 1/1 done step 4
	// <nil>
}

// Programs read a line of JSON about each step and each epoch.
func ExampleNewLog() {
	folder, err := os.MkdirTemp("", "log")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "log.jsonl")
	if err := line(0.1, train.NewLog(path)).Fit(context.Background(), 1); err != nil {
		fmt.Println(err)
		return
	}
	file, err := os.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	entries, err := train.ReadLog(file)
	for _, e := range entries {
		fmt.Println(e.Kind, e.Epoch, e.Step)
	}
	fmt.Println(err)
	// Output:
	// step 1 1
	// step 1 2
	// step 1 3
	// step 1 4
	// epoch 1 4
	// <nil>
}

// A training that diverges ends with the operator whose result was not finite first.
func ExampleNotFinite() {
	err := line(1e30).Fit(context.Background(), 1)
	var e *train.NotFinite
	fmt.Println(errors.As(err, &e), e.Step, e.Operator)
	// Output: true 2 square
}

// A checkpoint is saved after each epoch, and after every thousand steps too; the one before is kept beside it.
func ExampleCheckpoint() {
	c := train.Checkpoint{Path: "lenet.npz", Every: 1000, Recipe: "lenet without augmentation"}
	fmt.Println(c.Previous())
	// Output: lenet.npz.previous
}

// A training goes on from its checkpoint.
func ExampleTrainer_Resume() {
	folder, err := os.MkdirTemp("", "resume")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	for epochs := range 2 {
		t := line(0.1)
		t.Checkpoint = train.Checkpoint{Path: filepath.Join(folder, "checkpoint.npz")}
		from, err := t.Resume()
		fmt.Println("steps made:", from.Step, err)
		fmt.Println(t.Fit(context.Background(), epochs+1), t.Step())
	}
	// Output:
	// steps made: 0 <nil>
	// <nil> 4
	// steps made: 4 <nil>
	// <nil> 8
}

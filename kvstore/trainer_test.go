package kvstore_test

import (
	"context"
	"errors"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/sim"
	"github.com/weft-nd/weft/kvstore"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/random"
)

func perceptron(env *nd.Env) nn.Layer {
	return nn.NewSequential(nn.NewDense(env, 12, 16), nn.Relu, nn.NewDense(env, 16, 4))
}

func momentum(weights []*nd.Array) *optim.Optimiser {
	return optim.NewSGD(weights, 0.1, optim.Momentum(0.9))
}

// replicate returns a model on each device of s.
func replicate(env *nd.Env, s *kvstore.Store, make func(env *nd.Env) nn.Layer) []nn.Layer {
	var replicas []nn.Layer
	for _, d := range s.Devices() {
		replicas = append(replicas, make(env.WithDevice(d)))
	}
	return replicas
}

// batch returns random inputs and labels, which depend on the seed alone.
func batch(env *nd.Env, seed uint64, samples int) (x, labels *nd.Array) {
	env = env.WithSeed(seed)
	x = random.Normal(env, dtype.Float32, 0, 1, samples, 12)
	return x, random.Uniform(env, dtype.Float32, 0, 4, samples).Cast(dtype.Int64)
}

// weights returns the elements of all parameters, one after another.
func weights(t *testing.T, l nn.Layer) []float32 {
	t.Helper()
	var all []float32
	for _, p := range nn.Params(l) {
		v, err := nd.Values[float32](p)
		require.NoError(t, err)
		all = append(all, v...)
	}
	return all
}

// train makes steps on all devices, and returns the weights, which it requires to be the same everywhere.
func train(t *testing.T, tr *kvstore.Trainer, env *nd.Env, replicas []nn.Layer, from, to int) []float32 {
	t.Helper()
	for step := from; step < to; step++ {
		x, labels := batch(env, uint64(step), 10+step)
		loss, err := tr.Step(context.Background(), x, labels, nn.SoftmaxCrossEntropy)
		require.NoError(t, err)
		require.NoError(t, loss.Wait(context.Background()))
	}
	first := weights(t, replicas[0])
	for _, r := range replicas[1:] {
		require.Equal(t, first, weights(t, r))
	}
	return first
}

// trainAlone is train by the plain loop on one device.
func trainAlone(t *testing.T, env *nd.Env, model nn.Layer, steps int) []float32 {
	opt := momentum(nn.Params(model))
	for step := range steps {
		x, labels := batch(env, uint64(step), 10+step)
		tape := autograd.NewTape()
		loss := nn.SoftmaxCrossEntropy(model.Forward(nn.Train(tape, env.Generator()), x), labels)
		require.NoError(t, opt.Step(context.Background(), tape.Gradient(loss, nn.Params(model)...)))
	}
	return weights(t, model)
}

func TestTrainingOnSeveralDevicesIsThatOnOneUpToRounding(t *testing.T) {
	const steps = 20
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			env := newEnv(t, "perdevice")
			alone := trainAlone(t, env, perceptron(env.WithSeed(5)), steps)
			for _, name := range []string{"perdevice", "shuffled", "naive"} {
				env := newEnv(t, name)
				var first []float32
				for range 2 {
					s := kind.make(env, kind.devices)
					replicas := replicate(env.WithSeed(5), s, perceptron)
					got := train(t, kvstore.NewTrainer(s, replicas, momentum), env, replicas, 0, steps)
					for i := range got {
						require.InDelta(t, alone[i], got[i], 2e-6)
					}
					if len(kind.devices) == 1 {
						require.Equal(t, alone, got)
					}
					if first == nil {
						first = got
					}
					require.Equal(t, first, got, "two runs have the same bits")
				}
			}
		})
	}
}

func TestParametersThatLayersShareAreTrainedAsOnOneDevice(t *testing.T) {
	sharing := func(env *nd.Env) nn.Layer {
		shared := nn.NewDense(env, 12, 12)
		return nn.NewSequential(shared, nn.Tanh, shared, nn.NewDense(env, 12, 4))
	}
	env := newEnv(t, "perdevice")
	alone := trainAlone(t, env, sharing(env.WithSeed(5)), 5)
	s := kvstore.NewLocal(env, []device.Device{device.CPU(0), device.CPU(1)})
	replicas := replicate(env.WithSeed(5), s, sharing)
	require.InDeltaSlice(t, alone, train(t, kvstore.NewTrainer(s, replicas, momentum), env, replicas, 0, 5), 1e-5)
}

func TestReplicasWithoutSamplesRest(t *testing.T) {
	env := newEnv(t, "perdevice")
	s := kvstore.NewDevice(env, []device.Device{device.CPU(0), device.Sim(0), device.Sim(1)})
	replicas := replicate(env.WithSeed(5), s, perceptron)
	tr := kvstore.NewTrainer(s, replicas, momentum)
	alone := perceptron(env.WithSeed(5))
	opt := momentum(nn.Params(alone))
	x, labels := batch(env, 3, 2)
	tape := autograd.NewTape()
	want := nn.SoftmaxCrossEntropy(alone.Forward(nn.Train(tape, env.Generator()), x), labels)
	require.NoError(t, opt.Step(context.Background(), tape.Gradient(want, nn.Params(alone)...)))
	got, err := tr.Step(context.Background(), x, labels, nn.SoftmaxCrossEntropy)
	require.NoError(t, err)
	loss, err := nd.Item[float32](got)
	require.NoError(t, err)
	wanted, err := nd.Item[float32](want)
	require.NoError(t, err)
	require.InDelta(t, wanted, loss, 1e-6)
	for _, r := range replicas {
		require.InDeltaSlice(t, weights(t, alone), weights(t, r), 1e-6)
	}
}

// A fault on a device, wherever it strikes, fails at most some steps, each of which is repeated.
func TestFaultsOnADeviceDoNotChangeTheTraining(t *testing.T) {
	devices := []device.Device{device.Sim(0), device.Sim(1)}
	onDevices := []string{"copy", "copy/float32", "linear/float32"}
	for _, kind := range []struct {
		name    string
		make    func(*nd.Env, []device.Device, ...kvstore.Option) *kvstore.Store
		kernels []string
	}{{"local", kvstore.NewLocal, onDevices}, {"device", kvstore.NewDevice, append(onDevices, "add/float32")}} {
		t.Run(kind.name, func(t *testing.T) {
			env := newEnv(t, "perdevice")
			s := kind.make(env, devices)
			undisturbed := replicate(env.WithSeed(5), s, perceptron)
			want := train(t, kvstore.NewTrainer(s, undisturbed, momentum), env, undisturbed, 0, 6)
			for _, kernel := range kind.kernels {
				t.Run(kernel, func(t *testing.T) {
					s := kind.make(env, devices)
					replicas := replicate(env.WithSeed(5), s, perceptron)
					tr := kvstore.NewTrainer(s, replicas, momentum)
					train(t, tr, env, replicas, 0, 2)
					cause := errors.New("the device has failed")
					failures := 0
					sim.Default().InjectFault(kernel, cause)
					for step := 2; step < 6; {
						x, labels := batch(env, uint64(step), 10+step)
						loss, err := tr.Step(context.Background(), x, labels, nn.SoftmaxCrossEntropy)
						if err == nil {
							step++
							err = loss.Wait(context.Background()) // the step does not depend on it
						}
						if err != nil {
							require.ErrorIs(t, err, cause)
							failures++
							require.Less(t, failures, 4, "errors go away")
						}
					}
					require.Positive(t, failures)
					require.Equal(t, want, train(t, tr, env, replicas, 6, 6))
				})
			}
		})
	}
}

func TestATrainerGoesOnFromWeightsAndStateOfAnother(t *testing.T) {
	env := newEnv(t, "perdevice")
	newTrainer := func(seed uint64) (*kvstore.Store, *kvstore.Trainer, []nn.Layer) {
		s := kvstore.NewDevice(env, []device.Device{device.CPU(1), device.Sim(0)})
		replicas := replicate(env.WithSeed(seed), s, perceptron)
		return s, kvstore.NewTrainer(s, replicas, momentum), replicas
	}
	firstStore, first, replicas := newTrainer(5)
	train(t, first, env, replicas, 0, 3)
	secondStore, second, others := newTrainer(6)
	for name := range replicas[0].Named() {
		secondStore.Set(name, firstStore.Value(name))
	}
	require.NoError(t, second.Optimiser().SetState(first.Optimiser().State()))
	second.Pull()
	require.Equal(t, train(t, first, env, replicas, 3, 6), train(t, second, env, others, 3, 6))
	require.NoError(t, secondStore.Close(context.Background()))
}

func TestReplicasBeginWithTheStateOfTheFirst(t *testing.T) {
	env := newEnv(t, "perdevice")
	s := kvstore.NewLocal(env, []device.Device{device.CPU(0), device.CPU(1)})
	replicas := replicate(env, s, func(env *nd.Env) nn.Layer { return nn.NewBatchNorm(env, 3) })
	means, _ := replicas[0].(*nn.BatchNorm).Running()
	nd.CopyInto(means, nd.FullLike(means, 7))
	kvstore.NewTrainer(s, replicas, momentum)
	copied, _ := replicas[1].(*nn.BatchNorm).Running()
	requireAll(t, 7, copied)
}

// renamed is a layer whose parameters have other names.
type renamed struct{ nn.Layer }

func (r renamed) Named() iter.Seq2[string, *nd.Array] {
	named := maps.Collect(r.Layer.Named())
	return func(yield func(string, *nd.Array) bool) {
		for _, name := range slices.Sorted(maps.Keys(named)) {
			if !yield("x"+name, named[name]) {
				return
			}
		}
	}
}

func TestMistakesWithATrainer(t *testing.T) {
	env := newEnv(t, "perdevice")
	s := kvstore.NewLocal(env, []device.Device{device.CPU(0), device.Sim(0)})
	updating := kvstore.NewLocal(env, s.Devices(), kvstore.WithUpdater(func(_ string, pushed, _ *nd.Array) *nd.Array { return pushed }))
	replicas := replicate(env, s, perceptron)
	wide := func(env *nd.Env) nn.Layer {
		return nn.NewSequential(nn.NewDense(env, 12, 17), nn.Relu, nn.NewDense(env, 17, 4))
	}
	tr := kvstore.NewTrainer(kvstore.NewLocal(env, s.Devices()), replicas, momentum)
	x, labels := batch(env, 1, 6)
	step := func(x, labels *nd.Array) func() {
		return func() { tr.Step(context.Background(), x, labels, nn.SoftmaxCrossEntropy) }
	}
	for name, c := range map[string]struct {
		call   func()
		cause  error
		detail string
	}{
		"no store":        {func() { kvstore.NewTrainer(nil, replicas, momentum) }, fault.ErrMisuse, "nil"},
		"an updater":      {func() { kvstore.NewTrainer(updating, replicas, momentum) }, fault.ErrMisuse, "updater"},
		"too few models":  {func() { kvstore.NewTrainer(s, replicas[:1], momentum) }, fault.ErrDevice, "1 replicas given for 2 devices"},
		"another device":  {func() { kvstore.NewTrainer(s, []nn.Layer{replicas[1], replicas[0]}, momentum) }, fault.ErrDevice, "is on"},
		"another shape":   {func() { kvstore.NewTrainer(s, []nn.Layer{replicas[0], replicate(env, s, wide)[1]}, momentum) }, fault.ErrShape, "replica 1"},
		"other names":     {func() { kvstore.NewTrainer(s, []nn.Layer{replicas[0], renamed{replicas[1]}}, momentum) }, fault.ErrMisuse, "replica 1 has the array x"},
		"fewer arrays":    {func() { kvstore.NewTrainer(s, []nn.Layer{replicas[0], nn.NewSequential()}, momentum) }, fault.ErrMisuse, "another model"},
		"nil batch":       {step(nil, labels), fault.ErrMisuse, "nil"},
		"unequal samples": {step(x, labels.Index(nd.Span(0, 5))), fault.ErrShape, "the same samples"},
		"no samples":      {step(x.Index(nd.Span(0, 0)), labels.Index(nd.Span(0, 0))), fault.ErrShape, "empty"},
		"0-d":             {step(labels.Sum(), labels), fault.ErrShape, "the same samples"},
	} {
		t.Run(name, func(t *testing.T) {
			e := mistake(t, c.call)
			require.ErrorIs(t, e, c.cause)
			require.ErrorContains(t, e, c.detail)
		})
	}
	train(t, tr, env, replicas, 0, 1)
}

func TestATrainerThatIsRefusedChangesNothing(t *testing.T) {
	env := newEnv(t, "perdevice")
	tape := autograd.NewTape()
	defer tape.Close()
	last := func(l nn.Layer) *nd.Array { return nn.State(l)["2.bias"] }
	for name, c := range map[string]struct {
		spoil     func(s *kvstore.Store, replicas []nn.Layer)
		cause     error
		optimiser func(weights []*nd.Array) *optim.Optimiser
	}{
		"no optimiser":         {func(*kvstore.Store, []nn.Layer) {}, fault.ErrMisuse, func([]*nd.Array) *optim.Optimiser { return nil }},
		"a bad optimiser":      {func(*kvstore.Store, []nn.Layer) {}, fault.ErrParameter, func(w []*nd.Array) *optim.Optimiser { return optim.NewSGD(w, -1) }},
		"a name that is there": {func(s *kvstore.Store, _ []nn.Layer) { s.Init("2.bias", nd.ZerosIn(env, dtype.Float32, 4)) }, fault.ErrMisuse, momentum},
		"a released array":     {func(_ *kvstore.Store, replicas []nn.Layer) { last(replicas[1]).Release() }, fault.ErrReleased, momentum},
		"a saved array":        {func(_ *kvstore.Store, replicas []nn.Layer) { tape.Watch(last(replicas[1])).Square() }, fault.ErrSaved, momentum},
	} {
		t.Run(name, func(t *testing.T) {
			s := kvstore.NewLocal(env, []device.Device{device.CPU(0), device.CPU(1)})
			replicas := replicate(env, s, perceptron)
			weight := nn.State(replicas[1])["0.weight"]
			nd.CopyInto(weight, nd.FullLike(weight, 7))
			c.spoil(s, replicas)
			require.ErrorIs(t, mistake(t, func() { kvstore.NewTrainer(s, replicas, c.optimiser) }), c.cause)
			require.ErrorContains(t, mistake(t, func() { s.Value("0.weight") }), "no key")
			requireAll(t, 7, weight)
		})
	}
}

func TestWeightsAreNotSteppedThatReplicasCannotGet(t *testing.T) {
	env := newEnv(t, "perdevice")
	s := kvstore.NewLocal(env, []device.Device{device.CPU(0), device.CPU(1)})
	replicas := replicate(env, s, perceptron)
	tr := kvstore.NewTrainer(s, replicas, momentum)
	before := weights(t, replicas[0])
	tape := autograd.NewTape()
	defer tape.Close()
	tape.Watch(nn.State(replicas[1])["2.bias"]).Square()
	x, labels := batch(env, 1, 6)
	for name, call := range map[string]func(){
		"Step": func() { tr.Step(context.Background(), x, labels, nn.SoftmaxCrossEntropy) },
		"Pull": func() { s.Set("0.weight", s.Value("0.weight").AddScalar(1)); tr.Pull() },
	} {
		e := mistake(t, call)
		require.ErrorIs(t, e, fault.ErrSaved, name)
		require.Equal(t, "kvstore."+name, e.Operator)
		require.Equal(t, before, weights(t, replicas[0]), name)
	}
}

// MXNet's test_trainer by the trainer of this package: the weight has the gradient 1 on both devices, whose mean is the gradient of a batch
// of two. Its rule is that of optim.NewSGD, whose learning rate multiplies the velocity when it is used, and not, as in MXNet, when it
// grows. The state goes through a file in between.
func TestATrainerStepsWithMomentumFactorsAndASavedState(t *testing.T) {
	for _, kind := range kinds[:5] {
		t.Run(kind.name, func(t *testing.T) {
			env := nd.DefaultEnv()                                     // which files are read into
			loss := func(y, _ *nd.Array) *nd.Array { return y.Mean() } // of w + 1
			x := nd.FullIn(env, dtype.Float32, 1, 2, 1)
			var path string
			w := float32(0)
			for i, c := range []struct {
				factor float64
				want   float32
			}{{1, -1}, {1, -2.5}, {0.5, -3.375}} { // velocities are 1, 1.5, 1.75
				s := kind.make(env, kind.devices)
				replicas := replicate(env, s, func(env *nd.Env) nn.Layer { return &shift{nd.FullIn(env, dtype.Float32, float64(w), 1)} })
				tr := kvstore.NewTrainer(s, replicas, func(w []*nd.Array) *optim.Optimiser {
					return optim.NewSGD(w, 1, optim.Momentum(0.5), optim.RateFactor(c.factor, w[0]))
				})
				if i > 0 {
					state, err := nd.LoadNPZ(path)
					require.NoError(t, err)
					require.NoError(t, tr.Optimiser().SetState(state))
				}
				_, err := tr.Step(context.Background(), x, x, loss)
				require.NoError(t, err)
				for _, r := range replicas {
					requireAll(t, c.want, r.(*shift).weight)
				}
				path = filepath.Join(t.TempDir(), "state.npz")
				require.NoError(t, nd.SaveNPZ(path, tr.Optimiser().State()))
				w = c.want
			}
		})
	}
}

// shift is a layer that adds a number.
type shift struct{ weight *nd.Array }

func (s *shift) Forward(c *nn.Ctx, x *nd.Array) *nd.Array { return x.Add(c.Param(s.weight)) }

func (s *shift) Named() iter.Seq2[string, *nd.Array] {
	return func(yield func(string, *nd.Array) bool) { yield("weight", s.weight) }
}

// MXNet's MNIST test: an MLP 784-128-64-10, descent at rate 0.5, batches of 100, five epochs, on cpu(0) and cpu(1).
func TestMXNetMNISTOnTwoDevices(t *testing.T) {
	if testing.Short() {
		t.Skip("trains on MNIST")
	}
	train, test, err := data.LoadMNIST(realMNIST(t))
	require.NoError(t, err)
	accuracies := map[string]float64{}
	for name, on := range map[string]struct {
		epochs  int
		devices []device.Device
	}{
		"one": {5, []device.Device{device.CPU(0)}}, "two": {5, []device.Device{device.CPU(0), device.CPU(1)}},
		"sim": {1, []device.Device{device.Sim(0), device.Sim(1)}},
	} {
		env, devices := nd.DefaultEnv().WithSeed(1), on.devices
		s := kvstore.NewLocal(env, devices)
		replicas := replicate(env, s, func(env *nd.Env) nn.Layer {
			return nn.NewSequential(nn.NewDense(env, 784, 128), nn.Relu, nn.NewDense(env, 128, 64), nn.Relu, nn.NewDense(env, 64, 10))
		})
		tr := kvstore.NewTrainer(s, replicas, func(w []*nd.Array) *optim.Optimiser { return optim.NewSGD(w, 0.5) })
		loader := data.NewLoader(train.Dataset(env), 100, data.Shuffle(env.WithSeed(2)))
		for range on.epochs {
			for b, err := range loader.Batches(context.Background()) {
				require.NoError(t, err)
				_, err = tr.Step(context.Background(), b.Inputs, b.Labels, nn.SoftmaxCrossEntropy)
				require.NoError(t, err)
			}
		}
		file := filepath.Join(t.TempDir(), "weights.npz")
		require.NoError(t, nd.SaveNPZ(file, nn.State(replicas[0])))
		state, err := nd.LoadNPZ(file)
		require.NoError(t, err)
		loaded := replicate(env, s, func(env *nd.Env) nn.Layer {
			return nn.NewSequential(nn.NewDense(env, 784, 128), nn.Relu, nn.NewDense(env, 128, 64), nn.Relu, nn.NewDense(env, 64, 10))
		})
		require.NoError(t, nn.SetState(loaded[len(loaded)-1], state))
		accuracy := func(model nn.Layer, d device.Device) float64 {
			sum, batches := 0.0, 0
			for b, err := range data.NewLoader(test.Dataset(env), 1000).Batches(context.Background()) {
				require.NoError(t, err)
				part, err := nd.Item[float64](nn.Accuracy(model.Forward(nn.Infer(), b.Inputs.To(d)), b.Labels.To(d)))
				require.NoError(t, err)
				sum += part
				batches++
			}
			return sum / float64(batches)
		}
		last := len(replicas) - 1
		accuracies[name] = accuracy(replicas[last], devices[last])
		require.InDelta(t, accuracies[name], accuracy(loaded[last], devices[last]), 1e-4)
	}
	t.Log(accuracies)
	require.Greater(t, accuracies["one"], 0.95)
	require.InDelta(t, accuracies["one"], accuracies["two"], 0.01)
	require.Greater(t, accuracies["sim"], 0.9)
}

// realMNIST returns the folder of the real data set, shared/mnist in a folder above; the test is skipped without it.
func realMNIST(t *testing.T) string {
	folder, err := os.Getwd()
	require.NoError(t, err)
	for {
		candidate := filepath.Join(folder, "shared", "mnist")
		if info, err := os.Stat(candidate); err == nil && info.IsDir() {
			return candidate
		}
		if filepath.Dir(folder) == folder {
			t.Skip("no folder shared/mnist with the real MNIST above the working folder")
		}
		folder = filepath.Dir(folder)
	}
}

package optim_test

import (
	"context"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/sim"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/profile"
	"github.com/weft-nd/weft/storage"
)

func TestStepWithAnErrorChangesNothing(t *testing.T) {
	params := []*nd.Array{nd.FromSlice([]float32{1, 2}), nd.FromSlice([]float32{3})}
	opt := optim.NewSGD(params, 0.5, optim.Momentum(0.9))
	good := []*nd.Array{nd.FromSlice([]float32{1, 1}), nd.FromSlice([]float32{1})}
	bad := []*nd.Array{good[0], nd.FromSlice([]float32{1}).Take(nd.FromSlice([]int64{5}), 0)}
	for range 2 {
		err := opt.Step(context.Background(), bad)
		require.ErrorIs(t, err, fault.ErrIndex)
		require.ErrorContains(t, err, "sgd was not run")
	}
	require.NoError(t, opt.Step(context.Background(), good))
	for i, want := range [][]float32{{0.5, 1.5}, {2.5}} {
		got, err := nd.Values[float32](params[i])
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestStepWhoseContextEndsChangesNothing(t *testing.T) {
	w, g := nd.Ones[float32](2), []*nd.Array{nd.Ones[float32](2)}
	opt := optim.NewSGD([]*nd.Array{w}, 0.5, optim.Momentum(0.5))
	ended, end := context.WithCancel(context.Background())
	end()
	require.ErrorIs(t, opt.Step(ended, g), context.Canceled)

	ctx, cancel := context.WithCancel(context.Background())
	err := nd.Read(context.Background(), w, func([]float32) error { // while w is read the update cannot begin
		stepped := make(chan error)
		go func() { stepped <- opt.Step(ctx, g) }()
		cancel()
		return <-stepped
	})
	require.ErrorIs(t, err, context.Canceled)

	require.NoError(t, opt.Step(context.Background(), g))
	got, err := nd.Values[float32](w)
	require.NoError(t, err)
	require.Equal(t, []float32{0.5, 0.5}, got)
}

// TestStepWhoseContextEndsWhileItRunsCounts holds the device of the weights until Step has returned.
func TestStepWhoseContextEndsWhileItRunsCounts(t *testing.T) {
	e, err := engine.New("perdevice")
	require.NoError(t, err)
	ctx := context.Background()
	defer func() { require.NoError(t, e.Close(ctx)) }()
	env := ops.NewEnv(e).WithDevice(device.Sim(0))
	w, g := nd.OnesIn(env, dtype.Float32, 2), []*nd.Array{nd.OnesIn(env, dtype.Float32, 2)}
	opt := optim.NewSGD([]*nd.Array{w}, 0.5)
	require.NoError(t, e.WaitAll(ctx))
	begun := sim.Default().Stats(0).Launches
	release := sim.Default().Hold(0)
	defer release() // or Close waits for ever
	ending, end := context.WithCancel(ctx)
	defer end()
	stepped := make(chan error, 1)
	go func() { stepped <- opt.Step(ending, g) }()
	for sim.Default().Stats(0).Launches == begun {
		require.Empty(t, stepped, "Step has returned")
		runtime.Gosched()
	}
	end()
	require.ErrorIs(t, <-stepped, context.Canceled)
	release()
	require.Equal(t, 1, opt.Steps())
	got, err := nd.Values[float32](w)
	require.NoError(t, err)
	require.Equal(t, []float32{0.5, 0.5}, got)
}

func TestStepRefusesGradientsThatDoNotFit(t *testing.T) {
	opt := optim.NewSGD([]*nd.Array{nd.Ones[float32](2, 2)}, 0.1)
	cases := map[string]struct {
		gradients []*nd.Array
		want      error
	}{
		"too few":       {nil, fault.ErrMisuse},
		"nil":           {[]*nd.Array{nil}, fault.ErrMisuse},
		"another shape": {[]*nd.Array{nd.Ones[float32](2)}, fault.ErrShape},
		"another dtype": {[]*nd.Array{nd.Ones[float64](2, 2)}, fault.ErrDType},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := nd.Try(func() { opt.Step(context.Background(), c.gradients) })
			require.ErrorIs(t, err, c.want)
			require.Contains(t, err.Error(), "optimiser_test.go")
		})
	}
}

func TestConstructorsRefuseWhatTheyCannotUse(t *testing.T) {
	w := []*nd.Array{nd.Ones[float32](2)}
	nan := math.NaN()
	cases := map[string]struct {
		call func()
		want error
		text string
	}{
		"nil":                  {func() { optim.NewSGD([]*nd.Array{nil}, 1) }, fault.ErrMisuse, "NewSGD: parameter 0 is nil"},
		"integers":             {func() { optim.NewSGD([]*nd.Array{nd.Ones[int64](2)}, 1) }, fault.ErrDType, "NewSGD: parameter 0 holds int64"},
		"nil context":          {func() { var none context.Context; _ = optim.NewSGD(w, 1).Step(none, w) }, fault.ErrMisuse, "Step: the context is nil"},
		"twice":                {func() { optim.NewAdam([]*nd.Array{w[0], w[0]}, 1) }, fault.ErrMisuse, "parameter 1 is the same as parameter 0"},
		"negative rate":        {func() { optim.NewSGD(w, -1) }, fault.ErrParameter, "learning rate is -1"},
		"infinite rate":        {func() { optim.NewAdamW(w, math.Inf(1)) }, fault.ErrParameter, `NewAdamW: learning rate is \+Inf`},
		"rate not a number":    {func() { optim.NewRMSProp(w, nan) }, fault.ErrParameter, "NewRMSProp: learning rate is NaN"},
		"negative momentum":    {func() { optim.NewSGD(w, 1, optim.Momentum(-1)) }, fault.ErrParameter, "momentum is -1"},
		"growing momentum":     {func() { optim.NewSGD(w, 1, optim.Momentum(1.1)) }, fault.ErrParameter, "momentum is 1.1"},
		"decay not a number":   {func() { optim.NewSGD(w, 1, optim.WeightDecay(nan)) }, fault.ErrParameter, "weight decay is NaN"},
		"decay of a stranger":  {func() { optim.NewSGD(w, 1, optim.WeightDecay(0, nd.Ones[float32](2))) }, fault.ErrMisuse, "not among the parameters"},
		"decay of nil":         {func() { optim.NewSGD(w, 1, optim.WeightDecay(0, nil)) }, fault.ErrMisuse, "not among the parameters"},
		"negative factor":      {func() { optim.NewSGD(w, 1, optim.RateFactor(-2)) }, fault.ErrParameter, "rate factor is -2"},
		"beta of one":          {func() { optim.NewAdam(w, 1, optim.Betas(0.9, 1)) }, fault.ErrParameter, "beta2 is 1"},
		"negative epsilon":     {func() { optim.NewAdam(w, 1, optim.Epsilon(-1e-8)) }, fault.ErrParameter, "epsilon"},
		"smoothing above one":  {func() { optim.NewRMSProp(w, 1, optim.Smoothing(2)) }, fault.ErrParameter, "smoothing is 2"},
		"an option of another": {func() { optim.NewAdam(w, 1, optim.Momentum(0.5)) }, fault.ErrMisuse, "NewAdam: it has no option Momentum"},
		"zero interval":        {func() { optim.StepDecay(1, 0.5, 0) }, fault.ErrParameter, "StepDecay: 0 steps"},
		"negative least":       {func() { optim.Cosine(1, -1, 10) }, fault.ErrParameter, "Cosine: a number is -1"},
		"warm-up to nothing":   {func() { optim.WarmUp(3, nil) }, fault.ErrMisuse, "WarmUp: the schedule that follows is nil"},
		"negative warm-up":     {func() { optim.WarmUp(-3, optim.Constant(1)) }, fault.ErrParameter, "WarmUp: -3 steps"},
		"several dtypes":       {func() { optim.NewSGD([]*nd.Array{nd.Ones[float32](2), nd.Ones[float64](2)}, 1) }, fault.ErrDType, "NewSGD: parameter 1 holds float64, parameter 0 float32"},
		"negative constant":    {func() { optim.Constant(-3) }, fault.ErrParameter, "Constant: a number is -3"},
		"negative new rate":    {func() { optim.NewSGD(w, 1).SetLearningRate(-1) }, fault.ErrParameter, "SetLearningRate: learning rate is -1"},
		"limit of zero":        {func() { optim.ClipNorm(w, 0) }, fault.ErrParameter, "ClipNorm: the limit is 0"},
		"gradient that is nil": {func() { optim.ClipValue([]*nd.Array{nil}, 1) }, fault.ErrMisuse, "ClipValue: gradient 0 is nil"},
		"a schedule's mistake": {func() {
			_ = optim.NewSGD(nil, 1, optim.Scheduled(func(int) float64 { return nan })).Step(context.Background(), nil)
		}, fault.ErrParameter, "Step: learning rate of the schedule is NaN"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := nd.Try(c.call)
			require.ErrorIs(t, err, c.want)
			require.Regexp(t, c.text, err.Error())
			require.Contains(t, err.Error(), "optimiser_test.go")
		})
	}
}

func TestOptimiserOfNothingSteps(t *testing.T) {
	opt := optim.NewSGD(nil, 0.1)
	require.NoError(t, opt.Step(context.Background(), nil))
	require.Equal(t, 1, opt.Steps())
}

func TestLearningRateChanges(t *testing.T) {
	w := nd.FromSlice([]float64{1})
	opt := optim.NewSGD([]*nd.Array{w}, 1)
	opt.SetLearningRate(opt.LearningRate() / 4)
	require.NoError(t, opt.Step(context.Background(), []*nd.Array{nd.FromSlice([]float64{1})}))
	got, err := nd.Item[float64](w)
	require.NoError(t, err)
	require.Equal(t, 0.75, got)
}

// TestAStepIsOneOperatorForAllParameters asks the engine what it ran.
func TestAStepIsOneOperatorForAllParameters(t *testing.T) {
	e, err := engine.New("perdevice")
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close(context.Background())) }()
	env := ops.NewEnv(e)
	for name, construct := range constructors {
		var params, gradients []*nd.Array
		for i := range 20 {
			params = append(params, nd.OnesIn(env, dtype.Float32, 100, i+1))
			gradients = append(gradients, nd.OnesIn(env, dtype.Float32, 100, i+1))
		}
		o := construct(params)
		require.NoError(t, e.WaitAll(context.Background()))
		log := profile.New(0)
		stop := e.Observe(log)
		require.NoError(t, o.Step(context.Background(), gradients))
		stop()
		var ran []string
		for r := range log.Records() {
			if r.Name != "wait" {
				ran = append(ran, r.Name)
			}
		}
		if name == "adamw" {
			name = "adam"
		}
		require.Equal(t, []string{name}, ran)
	}
}

func TestMinimiseStepsByTheGradientsOfTheLoss(t *testing.T) {
	env, count := nd.DefaultEnv(), 100_000 // elements, of which the memory does not lie in Go's heap
	w, x := nd.FullIn(env, dtype.Float32, 2, count), nd.FullIn(env, dtype.Float32, 3, count)
	opt, steps := optim.NewSGD([]*nd.Array{w}, 0.5), 50
	outer := autograd.NewTape(autograd.Persistent()) // keeps what gradients are made of
	defer outer.Close()
	for range steps {
		tape := autograd.NewTape()
		loss := tape.Watch(w).Mul(x).Mul(outer.Watch(x)).Sum()
		require.NoError(t, opt.Minimise(context.Background(), tape, loss))
	}
	got, err := nd.Values[float32](w)
	require.NoError(t, err)
	require.Equal(t, slices.Repeat([]float32{2 - 0.5*9*float32(steps)}, count), got)
	require.Equal(t, steps, opt.Steps())
}

func TestMinimiseGivesTheMemoryOfGradientsBack(t *testing.T) {
	env := ops.NewEnv(engine.NewPerDevice())
	w := nd.ZerosIn(env, dtype.Float32, 100_000)
	opt := optim.NewSGD([]*nd.Array{w}, 0.5)
	step := func() {
		tape := autograd.NewTape()
		require.NoError(t, opt.Minimise(context.Background(), tape, tape.Watch(w).Sum()))
		require.NoError(t, env.Engine().WaitAll(context.Background()))
	}
	inUse := func() int64 {
		manager, err := storage.ManagerOf(device.CPU(0))
		require.NoError(t, err)
		return manager.Stats().InUse
	}
	step()
	before := inUse()
	for range 5 {
		step()
	}
	require.LessOrEqual(t, inUse(), before)
}

func TestMinimiseRefusesWhatHasNoGradient(t *testing.T) {
	w := nd.Ones[float32](2)
	opt := optim.NewSGD([]*nd.Array{w}, 0.5)
	for name, call := range map[string]func(){
		"no tape":     func() { _ = opt.Minimise(context.Background(), nil, w.Sum()) },
		"not watched": func() { _ = opt.Minimise(context.Background(), autograd.NewTape(), w.Sum()) },
		"not a scalar": func() {
			tape := autograd.NewTape()
			_ = opt.Minimise(context.Background(), tape, tape.Watch(w).Square())
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := nd.Try(call)
			require.Error(t, err)
			require.Contains(t, err.Error(), "optimiser_test.go")
		})
	}
}

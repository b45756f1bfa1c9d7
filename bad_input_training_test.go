package weft_test

import (
	"math"

	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/data"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/random"
)

func badConvolutions() []badInput {
	images, weights := ramp(1, 2, 4, 4), ramp(3, 2, 3, 3)
	return []badInput{
		{"conv", fault.ErrShape, "weights (3,5,3,3) do not fit data (1,2,4,4) with 1 groups: want (filters,2,…),", func() { images.Conv(ramp(3, 5, 3, 3), nil, nd.ConvParams{}) }},
		{"conv", fault.ErrShape, "a filter of 5 elements does not fit in 4 with padding 0 and 0 along spatial", func() { images.Conv(ramp(3, 2, 5, 5), nil, nd.ConvParams{}) }},
		{"conv", fault.ErrShape, "shapes (2,4) and (3,2,3,3) are none of a convolution: want 3 to 5 axes each, as", func() { ramp(2, 4).Conv(weights, nil, nd.ConvParams{}) }},
		{"conv", fault.ErrShape, "a bias (4,) does not fit weights (3,2,3,3): want one number for each filter", func() { images.Conv(weights, ramp(4), nd.ConvParams{}) }},
		{"conv", fault.ErrParameter, "stride 0, dilation 1 or padding 0 and 0 along spatial axis 0 is too small", func() { images.Conv(weights, nil, nd.ConvParams{Stride: []int{0, 1}}) }},
		{"conv", fault.ErrParameter, "stride [1 1 1] does not fit 2 spatial axes", func() { images.Conv(weights, nil, nd.ConvParams{Stride: []int{1, 1, 1}}) }},
		{"conv", fault.ErrParameter, "groups is -1 (legal: at least 0)", func() { images.Conv(weights, nil, nd.ConvParams{Groups: -1}) }},
		{"max_pool", fault.ErrShape, "a window of 5 elements does not fit axis 2 of (1,2,4,4) with padding 0, 0", func() { images.MaxPool(nd.PoolParams{Kernel: []int{5, 5}}) }},
		{"max_pool", fault.ErrParameter, "axis 2 has kernel 0, stride 0, dilation 1 and padding 0, 0 (legal: from 1,", func() { images.MaxPool(nd.PoolParams{Kernel: []int{0, 2}}) }},
		{"average_pool", fault.ErrShape, "x (1,2,4,4) has not the 3 axes that kernel [2] asks for", func() { images.AveragePool(nd.PoolParams{Kernel: []int{2}}) }},
		{"GlobalMaxPool", fault.ErrShape, "has no axes behind samples and channels", func() { ramp(2, 3).GlobalMaxPool() }},
		{"GlobalAveragePool", fault.ErrShape, "has no axes behind samples and channels", func() { ramp(2, 3).GlobalAveragePool() }},
		{"layer_norm", fault.ErrShape, "scale has shape (3,), want (4,)", func() { images.LayerNorm(ramp(3), ramp(3), -1, 1e-5) }},
		{"layer_norm", fault.ErrAxis, "axis 7", func() { images.LayerNorm(ramp(4), ramp(4), 7, 1e-5) }},
		{"rms_norm", fault.ErrShape, "scale has shape (3,), want (4,)", func() { images.RMSNorm(ramp(3), -1, 1e-5) }},
		{"batch_norm", fault.ErrShape, "scale has shape (3,), want (2,)", func() { images.BatchNorm(ramp(3), ramp(3), 1e-5) }},
		{"group_norm", fault.ErrShape, "2 channels do not make 3 equal groups", func() { images.GroupNorm(3, ramp(2), ramp(2), 1e-5) }},
	}
}

func badRandom() []badInput {
	env, weights := nd.DefaultEnv(), nd.Ones[float64](3)
	square := nd.ZerosIn(env, dtype.Float64, 2, 2)
	return []badInput{
		{"random.Uniform", fault.ErrDType, "dtype(200)", func() { random.Uniform(env, dtype.DType(200), 0, 1, 2) }},
		{"random.Uniform", fault.ErrDType, "int64", func() { random.Uniform(env, dtype.Int64, 0, 1, 2) }},
		{"random.Uniform", fault.ErrShape, "(-2,)", func() { random.Uniform(env, dtype.Float32, 0, 1, -2) }},
		{"random.Uniform", fault.ErrParameter, "low is 1 and high is 0 (legal: low at most high, and a finite distance)", func() { random.Uniform(env, dtype.Float32, 1, 0, 2) }},
		{"random.Uniform", fault.ErrMisuse, "nil", func() { random.Uniform(nil, dtype.Float32, 0, 1, 2) }},
		{"random.Normal", fault.ErrParameter, "-1", func() { random.Normal(env, dtype.Float32, 0, -1, 2) }},
		{"random.TruncatedNormal", fault.ErrParameter, "low is 2 and high is -2 (legal: low at most high, low below +Inf, high above", func() { random.TruncatedNormal(env, dtype.Float32, 0, 1, 2, -2, 3) }},
		{"random.Exponential", fault.ErrParameter, "scale is -1 (legal: a finite number, at least 0)", func() { random.Exponential(env, dtype.Float32, -1, 3) }},
		{"random.Gamma", fault.ErrParameter, "concentration is -1 (legal: a finite number above 0)", func() { random.Gamma(env, dtype.Float32, -1, 1, 3) }},
		{"random.Beta", fault.ErrParameter, "beta is -1 (legal: a finite number above 0)", func() { random.Beta(env, dtype.Float32, 1, -1, 3) }},
		{"random.StudentT", fault.ErrParameter, "freedom is -1 (legal: a finite number above 0)", func() { random.StudentT(env, dtype.Float32, -1, 3) }},
		{"random.Integers", fault.ErrParameter, "low is 2 and high is 1 (legal: low at most high, both from -9223372036854775808", func() { random.Integers(env, 2, 1, 3) }},
		{"random.Integers", fault.ErrShape, "(-3,)", func() { random.Integers(env, 1, 2, -3) }},
		{"random.Bernoulli", fault.ErrParameter, "1.01", func() { random.Bernoulli(env, 1.01, 3) }},
		{"random.Bernoulli", fault.ErrParameter, "NaN", func() { random.Bernoulli(env, math.NaN(), 3) }},
		{"random.BernoulliOf", fault.ErrMisuse, "nil", func() { random.BernoulliOf(nil) }},
		{"random.Poisson", fault.ErrParameter, "-1", func() { random.Poisson(env, -1, 3) }},
		{"random.Binomial", fault.ErrParameter, "-1", func() { random.Binomial(env, -1, 0.5, 3) }},
		{"random.Binomial", fault.ErrParameter, "-0.5", func() { random.Binomial(env, 1, -0.5, 3) }},
		{"random.Geometric", fault.ErrParameter, "probability is 0 (legal: above 0, at most 1)", func() { random.Geometric(env, 0, 3) }},
		{"random.NegativeBinomial", fault.ErrParameter, "probability is 0 (legal: above 0, at most 1)", func() { random.NegativeBinomial(env, 1, 0, 3) }},
		{"random.Categorical", fault.ErrShape, "weights without axes: the last axis has the categories", func() { random.Categorical(nd.Ones[float32](), 3) }},
		{"random.Categorical", fault.ErrDType, "complex64", func() { random.Categorical(nd.Ones[complex64](3), 3) }},
		{"random.Multinomial", fault.ErrParameter, "-1", func() { random.Multinomial(weights, -1) }},
		{"random.Permutation", fault.ErrParameter, "-1", func() { random.Permutation(env, -1) }},
		{"random.Choose", fault.ErrParameter, "4", func() { random.Choose(env, 3, 4) }},
		{"random.ChooseWeighted", fault.ErrParameter, "4", func() { random.ChooseWeighted(weights, 4) }},
		{"random.Choice", fault.ErrMisuse, "nil", func() { random.Choice(nil, 1) }},
		{"random.Choice", fault.ErrAxis, "axis 1", func() { random.Choice(weights, 1, random.Along(1)) }},
		{"random.Choice", fault.ErrParameter, "count is 4, of 3 parts", func() { random.Choice(weights, 4, random.WithoutReplacement()) }},
		{"random.Choice", fault.ErrShape, "weights (4,) do not fit", func() { random.Choice(weights, 1, random.Weighted(nd.Ones[float32](4))) }},
		{"random.Choice", fault.ErrMisuse, "an option is nil", func() { random.Choice(weights, 1, nil) }},
		{"random.Weighted", fault.ErrMisuse, "the weights are nil", func() { random.Weighted(nil) }},
		{"random.Shuffled", fault.ErrAxis, "axis -2", func() { random.Shuffled(weights, -2) }},
		{"random.Dirichlet", fault.ErrShape, "()", func() { random.Dirichlet(nd.Full(1.0)) }},
		{"random.MultivariateNormal", fault.ErrShape, "means (3,) and factor (2,2) do not fit: want (n,) and (n,m)", func() { random.MultivariateNormal(weights, square) }},
		{"random.CovarianceFactor", fault.ErrMisuse, "nil", func() { random.CovarianceFactor(nil) }},
	}
}

func badLayers() []badInput {
	env, x, infer := nd.DefaultEnv(), ramp(2, 3), nn.Infer()
	model, other := nn.NewSequential(nn.NewDense(env, 3, 2)), map[string]*nd.Array{"0.bias": ramp(7), "0.weight": ramp(3, 2)}
	return []badInput{
		{"NewSequential", fault.ErrMisuse, "layer 1 is nil", func() { nn.NewSequential(nn.Relu, nil) }},
		{"NewDense", fault.ErrMisuse, "the Env", func() { nn.NewDense(nil, 1, 1) }},
		{"NewDense", fault.ErrParameter, "the size -1", func() { nn.NewDense(env, -1, 1) }},
		{"NewConv2D", fault.ErrMisuse, "an option", func() { nn.NewConv2D(env, 1, 1, 1, nil) }},
		{"NewConv2D", fault.ErrMisuse, "the Env", func() { nn.NewConv2D(nil, 1, 1, 1) }},
		{"NewConv1D", fault.ErrParameter, "0", func() { nn.NewConv1D(env, 0, 1, 1) }},
		{"NewConvTranspose2D", fault.ErrParameter, "0", func() { nn.NewConvTranspose2D(env, 1, 1, 0) }},
		{"NewConv3D", fault.ErrParameter, "0", func() { nn.NewConv3D(env, 1, 0, 1) }},
		{"NewConvTranspose1D", fault.ErrParameter, "0", func() { nn.NewConvTranspose1D(env, 1, 1, 0) }},
		{"NewConvTranspose3D", fault.ErrParameter, "0", func() { nn.NewConvTranspose3D(env, 0, 1, 1) }},
		{"NewMaxPool1D", fault.ErrParameter, "the size", func() { nn.NewMaxPool1D(0) }},
		{"NewMaxPool3D", fault.ErrParameter, "no groups", func() { nn.NewMaxPool3D(2, nn.Groups(2)) }},
		{"NewAveragePool1D", fault.ErrParameter, "the size", func() { nn.NewAveragePool1D(-1) }},
		{"NewAveragePool3D", fault.ErrMisuse, "an option", func() { nn.NewAveragePool3D(2, nil) }},
		{"NewMaxPool2D", fault.ErrParameter, "the size", func() { nn.NewMaxPool2D(0) }},
		{"NewAveragePool2D", fault.ErrMisuse, "an option", func() { nn.NewAveragePool2D(2, nil) }},
		{"NewBatchNorm", fault.ErrParameter, "the size 0", func() { nn.NewBatchNorm(env, 0) }},
		{"NewLayerNorm", fault.ErrParameter, "there is no", func() { nn.NewLayerNorm(env) }},
		{"NewRMSNorm", fault.ErrParameter, "there is no", func() { nn.NewRMSNorm(env) }},
		{"NewGroupNorm", fault.ErrParameter, "2 groups", func() { nn.NewGroupNorm(env, 2, 3) }},
		{"NewDropout", fault.ErrParameter, "2", func() { nn.NewDropout(2) }},
		{"NewDropout", fault.ErrParameter, "NaN", func() { nn.NewDropout(math.NaN()) }},
		{"NewEmbedding", fault.ErrParameter, "-1", func() { nn.NewEmbedding(env, -1, 2) }},
		{"Dense.Forward", fault.ErrMisuse, "the context is nil", func() { nn.NewDense(env, 3, 2).Forward(nil, x) }},
		{"Dense.Forward", fault.ErrMisuse, "the array is nil", func() { nn.NewDense(env, 3, 2).Forward(infer, nil) }},
		{"Sequential.Forward", fault.ErrMisuse, "the array is nil", func() { model.Forward(infer, nil) }},
		{"linear", fault.ErrShape, "(2,4)", func() { model.Forward(infer, ramp(2, 4)) }},
		{"conv", fault.ErrShape, "(1,3,4,4)", func() { nn.NewConv2D(env, 2, 2, 3).Forward(infer, ramp(1, 3, 4, 4)) }},
		{"Embedding", fault.ErrIndex, "index 9 is out of range", func() *nd.Array { return nn.NewEmbedding(env, 3, 2).Forward(infer, nd.FromSlice([]int64{9})) }},
		{"Params", fault.ErrMisuse, "nil", func() { nn.Params(nil) }},
		{"SetState", fault.ErrParameter, "there is no array 0.weight", func() error { return nn.SetState(model, nil) }},
		{"SetState", fault.ErrParameter, "0.bias is float32 (7,), want float32 (2,)", func() error { return nn.SetState(model, other) }},
	}
}

func badLosses() []badInput {
	logits, labels, x := ramp(2, 3), nd.Zeros[int64](2), ramp(4, 1)
	return []badInput{
		{"softmax_cross_entropy", fault.ErrShape, "logits (2,3) and labels (3,) do not fit: want (rows,classes) and (rows,)", func() { nn.SoftmaxCrossEntropy(logits, nd.Zeros[int64](3)) }},
		{"SoftmaxCrossEntropy", fault.ErrDType, "labels are integers, one for each row of logits, or probabilities", func() { nn.SoftmaxCrossEntropy(logits, ramp(2)) }},
		{"SoftmaxCrossEntropy", fault.ErrShape, "logits (1,2,3) and labels (2,) do not fit: want (...,classes) and (...)", func() { nn.SoftmaxCrossEntropy(logits.ExpandDims(0), labels) }},
		{"SoftmaxCrossEntropy", fault.ErrMisuse, "nil", func() { nn.SoftmaxCrossEntropy(nil, labels) }},
		{"mean", fault.ErrIndex, "3", func() *nd.Array { return nn.SoftmaxCrossEntropy(logits, nd.FromSlice([]int64{0, 3})) }},
		{"softmax_cross_entropy", fault.ErrShape, "logits (2,3) and labels (3,) do not fit: want (rows,classes) and (rows,)", func() { nd.SoftmaxCrossEntropy(logits, nd.Zeros[int64](3)) }},
		{"SquaredError", fault.ErrShape, "predictions have shape (4,1), the targets (4,)", func() { nn.SquaredError(x, ramp(4)) }},
		{"SquaredError", fault.ErrDType, "predictions are float32, the targets float64: want equal floats", func() { nn.SquaredError(x, nd.Ones[float64](4, 1)) }},
		{"AbsoluteError", fault.ErrMisuse, "nil", func() { nn.AbsoluteError(x, nil) }},
		{"SigmoidCrossEntropy", fault.ErrShape, "predictions have shape (4,1), the targets (1,4)", func() { nn.SigmoidCrossEntropy(x, ramp(1, 4)) }},
		{"Huber", fault.ErrParameter, "0", func() { nn.Huber(x, x, 0) }},
		{"Huber", fault.ErrParameter, "NaN", func() { nn.Huber(x, x, math.NaN()) }},
		{"Accuracy", fault.ErrShape, "logits (2,3)", func() { nn.Accuracy(logits, nd.Zeros[int64](3)) }},
		{"Accuracy", fault.ErrMisuse, "the logits", func() { nn.Accuracy(nil, labels) }},
		{"TopKAccuracy", fault.ErrParameter, "4", func() { nn.TopKAccuracy(logits, labels, 4) }},
		{"ConfusionMatrix", fault.ErrShape, "logits (2,3) and labels (3,) do not fit: want (...,classes), with a class, and (...), with an axis", func() { nn.ConfusionMatrix(logits, nd.Zeros[int64](3)) }},
	}
}

func badOptimisers() []badInput {
	w, nan := []*nd.Array{ramp(2)}, math.NaN()
	sgd := optim.NewSGD(w, 1)
	return []badInput{
		{"NewSGD", fault.ErrMisuse, "parameter 0 is nil", func() { optim.NewSGD([]*nd.Array{nil}, 1) }},
		{"NewSGD", fault.ErrDType, "parameter 0 holds int64", func() { optim.NewSGD([]*nd.Array{nd.Ones[int64](2)}, 1) }},
		{"NewAdam", fault.ErrMisuse, "parameter 1 is the same as parameter 0", func() { optim.NewAdam([]*nd.Array{w[0], w[0]}, 1) }},
		{"NewSGD", fault.ErrParameter, "learning rate is -1", func() { optim.NewSGD(w, -1) }},
		{"NewAdamW", fault.ErrParameter, "learning rate is +Inf", func() { optim.NewAdamW(w, math.Inf(1)) }},
		{"NewRMSProp", fault.ErrParameter, "learning rate is NaN", func() { optim.NewRMSProp(w, nan) }},
		{"NewSGD", fault.ErrParameter, "momentum is 1.1", func() { optim.NewSGD(w, 1, optim.Momentum(1.1)) }},
		{"NewSGD", fault.ErrParameter, "weight decay is NaN", func() { optim.NewSGD(w, 1, optim.WeightDecay(nan)) }},
		{"NewSGD", fault.ErrMisuse, "not among the parameters", func() { optim.NewSGD(w, 1, optim.WeightDecay(0, ramp(2))) }},
		{"NewSGD", fault.ErrParameter, "rate factor is -2", func() { optim.NewSGD(w, 1, optim.RateFactor(-2)) }},
		{"NewAdam", fault.ErrParameter, "beta2 is 1", func() { optim.NewAdam(w, 1, optim.Betas(0.9, 1)) }},
		{"NewAdam", fault.ErrParameter, "epsilon", func() { optim.NewAdam(w, 1, optim.Epsilon(-1e-8)) }},
		{"NewRMSProp", fault.ErrParameter, "smoothing is 2", func() { optim.NewRMSProp(w, 1, optim.Smoothing(2)) }},
		{"NewAdam", fault.ErrMisuse, "it has no option Momentum", func() { optim.NewAdam(w, 1, optim.Momentum(0.5)) }},
		{"StepDecay", fault.ErrParameter, "0 steps", func() { optim.StepDecay(1, 0.5, 0) }},
		{"Cosine", fault.ErrParameter, "a number is -1", func() { optim.Cosine(1, -1, 10) }},
		{"WarmUp", fault.ErrMisuse, "the schedule that follows is nil", func() { optim.WarmUp(3, nil) }},
		{"Constant", fault.ErrParameter, "a number is -3", func() { optim.Constant(-3) }},
		{"SetLearningRate", fault.ErrParameter, "learning rate is -1", func() { sgd.SetLearningRate(-1) }},
		{"Step", fault.ErrMisuse, "0 gradients given for 1 parameters", func() { _ = sgd.Step(background, nil) }},
		{"Step", fault.ErrMisuse, "the context is nil", func() { _ = sgd.Step(noContext, w) }},
		{"Step", fault.ErrMisuse, "gradient 0 is nil", func() { _ = sgd.Step(background, []*nd.Array{nil}) }},
		{"sgd", fault.ErrShape, "weight 0 has shape (2,), its gradient (3,)", func() { _ = sgd.Step(background, []*nd.Array{ramp(3)}) }},
		{"sgd", fault.ErrDType, "float64", func() { _ = sgd.Step(background, []*nd.Array{nd.Ones[float64](2)}) }},
		{"SetState", fault.ErrParameter, "the state has no array 0.velocity", func() error { return sgd.SetState(nil) }},
		{"ClipNorm", fault.ErrParameter, "the limit is 0", func() { optim.ClipNorm(w, 0) }},
		{"ClipValue", fault.ErrMisuse, "gradient 0 is nil", func() { optim.ClipValue([]*nd.Array{nil}, 1) }},
	}
}

func badData() []badInput {
	images := &data.Images{Count: 2, Rows: 1, Columns: 1, Pixels: []byte{1, 2}}
	digits := (&data.Digits{Images: images, Labels: []byte{1, 2}}).Dataset(nd.DefaultEnv())
	return []badInput{
		{"data.NewLoader", fault.ErrParameter, "0", func() { data.NewLoader(digits, 0) }},
		{"data.NewLoader", fault.ErrMisuse, "nil", func() { data.NewLoader(nil, 1) }},
		{"data.NewLoader", fault.ErrMisuse, "nil", func() { data.NewLoader(digits, 1, nil) }},
		{"data.Shuffle", fault.ErrMisuse, "nil", func() { data.Shuffle(nil) }},
		{"data.Loader.Batches", fault.ErrMisuse, "nil", func() { data.NewLoader(digits, 1).Batches(noContext) }},
		{"Digits.Dataset", fault.ErrMisuse, "2 images of 1 by 1 with 2 pixels and 1 labels", func() { (&data.Digits{Images: images, Labels: []byte{1}}).Dataset(nd.DefaultEnv()) }},
		{"Digits.Dataset", fault.ErrMisuse, "the Env is nil", func() { (&data.Digits{Images: images, Labels: []byte{1, 2}}).Dataset(nil) }},
		{"data.Loader.SetState", fault.ErrParameter, "of 2", func() error { return data.NewLoader(digits, 1).SetState(data.LoaderState{Given: 5}) }},
	}
}

func badAutograd() []badInput {
	x, whole := nd.FromSlice([]float64{1, 2}), nd.FromSlice([]int64{1, 2})
	tape := autograd.NewTape(autograd.Persistent())
	watched, turn := tape.Watch(x), nd.Full(1i, 2)
	loss := watched.Square().Sum()
	used := autograd.NewTape()
	spent := used.Watch(nd.Ones[float64](2)).Sum()
	used.Close()
	same := func(x *nd.Array) *nd.Array { return x }
	none := func(*nd.Array) *nd.Array { return nil }
	double := func(inputs []*nd.Array) (outputs, saved []*nd.Array) {
		return []*nd.Array{inputs[0].Add(inputs[0])}, nil
	}
	return []badInput{
		{"gradient", fault.ErrShape, "the loss must have one element", func() { tape.Gradient(watched.Square(), watched) }},
		{"gradient", fault.ErrMisuse, "the tape watches nothing", func() { tape.Gradient(nd.Full(1.0), watched) }},
		{"gradient", fault.ErrDType, "only floats and complex numbers have gradients, not int64", func() { tape.Gradient(whole.Sum(), watched) }},
		{"gradient", fault.ErrDType, "the loss must be real", func() { tape.Gradient(watched.Mul(turn).Sum(), watched) }},
		{"NewTape", fault.ErrMisuse, "an option is nil", func() { autograd.NewTape(nil) }},
		{"gradient", fault.ErrMisuse, "nil", func() { tape.Gradient(nil, watched) }},
		{"gradient", fault.ErrMisuse, "nil", func() { tape.Gradient(new(nd.Array), watched) }},
		{"gradient", fault.ErrMisuse, "nil", func() { tape.Gradient(loss, nil) }},
		{"gradient", fault.ErrMisuse, "the tape was used or closed before; make it with Persistent to use it several", func() { used.Gradient(spent, spent) }},
		{"gradient", fault.ErrShape, "the upstream gradient is float64 (3,)", func() { tape.GradientWith(watched.Square(), nd.Ones[float64](3), watched) }},
		{"GradientInto", fault.ErrMisuse, "0 destinations for 1 sources", func() { tape.GradientInto(nil, loss, watched) }},
		{"GradientInto", fault.ErrShape, "destination 0 has shape (3,)", func() { tape.GradientInto([]*nd.Array{nd.Ones[float64](3)}, loss, watched) }},
		{"GradientAddInto", fault.ErrDType, "destination 0 has dtype float32", func() { tape.GradientAddInto([]*nd.Array{nd.Ones[float32](2)}, loss, watched) }},
		{"Tape.Watch", fault.ErrMisuse, "nil", func() { tape.Watch(nil) }},
		{"Tape.Watch", fault.ErrDType, "int64", func() { tape.Watch(whole) }},
		{"write", fault.ErrSaved, "saved this memory", func() { nd.AddInto(x, x, x) }},
		{"add", fault.ErrMisuse, "a destination was given while a tape watches an operand", func() { nd.AddInto(nd.Ones[float64](2), watched, x) }},
		{"Set", fault.ErrMisuse, "the array is watched by a tape", func() { nd.Set(watched, 1.0, 0) }},
		{"Write", fault.ErrMisuse, "the array is watched by a tape", func() { _ = nd.Write(background, watched, func([]float64) error { return nil }) }},
		{"WaitToWrite", fault.ErrMisuse, "the array is watched by a tape", func() { _ = watched.WaitToWrite(background) }},
		{"write", fault.ErrSaved, "a live tape has saved this memory", func() { _ = x.WaitToWrite(background) }},
		{"ValueAndGradient", fault.ErrShape, "the value of the function must have one element: sum it, or use Jacobian", func() { autograd.ValueAndGradient(func(xs ...*nd.Array) *nd.Array { return xs[0] }, x) }},
		{"Jacobian", fault.ErrDType, "the value of the function must be of real floats, not int64", func() { autograd.Jacobian(func(*nd.Array) *nd.Array { return whole }, x) }},
		{"Jacobian", fault.ErrMisuse, "nil", func() { autograd.Jacobian(none, x) }},
		{"Jacobian", fault.ErrMisuse, "nil", func() { autograd.Jacobian(same, nil) }},
		{"Jacobian", fault.ErrDType, "the operand must be of real floats, not complex128", func() { autograd.Jacobian(same, turn) }},
		{"Hessian", fault.ErrDType, "only floats and complex numbers have gradients, not int64", func() { autograd.Hessian(same, whole) }},
		{"Hessian", fault.ErrShape, "the value of the function must have one element: sum it, or use Jacobian", func() { autograd.Hessian(same, x) }},
		{"HessianVector", fault.ErrMisuse, "nil", func() { autograd.HessianVector(same, x, nil) }},
		{"ValueAndGradient", fault.ErrMisuse, "the function is nil", func() { autograd.ValueAndGradient(nil, x) }},
		{"Jacobian", fault.ErrMisuse, "the function is nil", func() { autograd.Jacobian(nil, x) }},
		{"Hessian", fault.ErrMisuse, "the function is nil", func() { autograd.Hessian(nil, x) }},
		{"HessianVector", fault.ErrMisuse, "the function is nil", func() { autograd.HessianVector(nil, x, x) }},
		{"Checkpoint", fault.ErrMisuse, "the function is nil", func() { autograd.Checkpoint(nil, x) }},
		{"twice", fault.ErrMisuse, "the function is nil", func() { (&autograd.Function{Name: "twice"}).Call(x) }},
		{"twice", fault.ErrMisuse, "the function has no Backward", func() {
			tape.Gradient((&autograd.Function{Name: "twice", Forward: double}).Call(watched)[0].Sum(), watched)
		}},
		{"Checkpoint", fault.ErrMisuse, "the function returned no results", func() { autograd.Checkpoint(func([]*nd.Array) []*nd.Array { return nil }, watched) }},
	}
}

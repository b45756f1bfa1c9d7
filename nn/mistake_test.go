package nn_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

func TestForwardOfNothingIsAMistakeOfTheLayer(t *testing.T) {
	env, x := nd.DefaultEnv(), nd.Ones[float32](1, 2, 4, 4)
	for name, layer := range map[string]nn.Layer{
		"Dense": nn.NewDense(env, 4, 3), "Conv": nn.NewConv2D(env, 2, 2, 3), "Pool": nn.NewMaxPool2D(2), "Dropout": nn.NewDropout(0.5), "BatchNorm": nn.NewBatchNorm(env, 2),
		"LayerNorm": nn.NewLayerNorm(env, 4), "RMSNorm": nn.NewRMSNorm(env, 4), "GroupNorm": nn.NewGroupNorm(env, 1, 2), "Activation": nn.Relu, "Func": nn.Tanh,
		"Sequential": nn.NewSequential(nn.Relu), "Residual": nn.NewResidual(nn.Relu),
	} {
		for what, forward := range map[string]func(){
			"the context is nil": func() { layer.Forward(nil, x) }, "the array is nil": func() { layer.Forward(nn.Infer(), nil) },
		} {
			err := nd.Try(forward)
			require.ErrorIs(t, err, fault.ErrMisuse, name)
			require.ErrorContains(t, err, name+".Forward: "+what)
			require.ErrorContains(t, err, "mistake_test.go")
		}
		layer.Forward(nn.Infer(), x)
	}
}

func TestInitialisingByNothingIsAMistake(t *testing.T) {
	env := nd.DefaultEnv()
	for _, layer := range []nn.Weighted{
		nn.NewDense(env, 4, 3), nn.NewConv2D(env, 2, 2, 3), nn.NewGRU(env, 2, 2), nn.NewSequential(nn.NewDense(env, 4, 3)), nn.NewMultiHeadAttention(env, 4, 2),
	} {
		for _, call := range []func(){
			func() { layer.Initialise(env, nil) }, func() { layer.Initialise(nil, nn.HeNormal) }, func() { nn.Initialise(layer, env, nil) },
		} {
			err := nd.Try(call)
			require.ErrorIs(t, err, fault.ErrMisuse)
			require.ErrorContains(t, err, "Initialise: the Env or the initialiser is nil")
			require.ErrorContains(t, err, "mistake_test.go")
		}
	}
}

func TestLayersThatCannotBeAreMistakesOfTheirMaking(t *testing.T) {
	env, x, labels := nd.DefaultEnv(), nd.Ones[float32](2, 3), nd.Zeros[int64](2)
	var noDense *nn.Dense
	for name, c := range map[string]struct {
		call   func()
		reason error
	}{
		"NewSequential: layer 1 is nil": {func() { nn.NewSequential(nn.Relu, nil) }, fault.ErrMisuse},
		"NewSequential: layer 0 is nil": {func() { nn.NewSequential(noDense) }, fault.ErrMisuse},
		"NewSequential: layer 2 is nil": {func() { nn.NewSequential(nn.Relu, nn.Relu, nn.Func(nil)) }, fault.ErrMisuse},
		"NewResidual: there are no":     {func() { nn.NewResidual() }, fault.ErrParameter},
		"NewResidual: layer 1 is nil":   {func() { nn.NewResidual(nn.Relu, nil) }, fault.ErrMisuse},
		"Residual.Forward: the layers":  {func() { nn.NewResidual(nn.NewDense(env, 1, 3)).Forward(nn.Infer(), nd.Ones[float32](2, 1)) }, fault.ErrShape},
		"Residual.Forward: the layer":   {func() { nn.NewResidual(nn.NewDense(env, 3, 1), nn.Relu).Forward(nn.Infer(), x) }, fault.ErrShape},
		"Func.Forward":                  {func() { nn.Func(nil).Forward(nn.Infer(), x) }, fault.ErrMisuse},
		"Params":                        {func() { nn.Params(nil) }, fault.ErrMisuse},
		"NewDense: the Env":             {func() { nn.NewDense(nil, 1, 1) }, fault.ErrMisuse},
		"NewDense: the size -1":         {func() { nn.NewDense(env, -1, 1) }, fault.ErrParameter},
		"NewConv2D: the Env":            {func() { nn.NewConv2D(nil, 1, 1, 1) }, fault.ErrMisuse},
		"NewConv2D: an option":          {func() { nn.NewConv2D(env, 1, 1, 1, nil) }, fault.ErrMisuse},
		"NewMaxPool2D: the size":        {func() { nn.NewMaxPool2D(0) }, fault.ErrParameter},
		"NewAveragePool2D: an option":   {func() { nn.NewAveragePool2D(2, nil) }, fault.ErrMisuse},
		"NewBatchNorm: the size 0":      {func() { nn.NewBatchNorm(env, 0) }, fault.ErrParameter},
		"NewBatchNorm: the Env":         {func() { nn.NewBatchNorm(nil, 1) }, fault.ErrMisuse},
		"NewLayerNorm: there is no":     {func() { nn.NewLayerNorm(env) }, fault.ErrParameter},
		"NewLayerNorm: the size -2":     {func() { nn.NewLayerNorm(env, -2) }, fault.ErrParameter},
		"NewRMSNorm: there is no":       {func() { nn.NewRMSNorm(env) }, fault.ErrParameter},
		"NewGroupNorm: the size 0":      {func() { nn.NewGroupNorm(env, 0, 3) }, fault.ErrParameter},
		"NewGroupNorm: the size -3":     {func() { nn.NewGroupNorm(env, 1, -3) }, fault.ErrParameter},
		"NewGroupNorm: 2 groups":        {func() { nn.NewGroupNorm(env, 2, 3) }, fault.ErrParameter},
		"Accuracy: the logits":          {func() { nn.Accuracy(nil, labels) }, fault.ErrMisuse},
		"Accuracy: logits (2,3)":        {func() { nn.Accuracy(x, nd.Zeros[int64](3)) }, fault.ErrShape},
		"Accuracy: logits (2,0)":        {func() { nn.Accuracy(nd.Ones[float32](2, 0), labels) }, fault.ErrShape},
	} {
		err := nd.Try(c.call)
		require.ErrorIs(t, err, c.reason, name)
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, err, "mistake_test.go")
	}
}

// TestLayersTooLargeForAddressesAreMistakesOfTheirMaking has products of sizes that are no numbers, too.
func TestLayersTooLargeForAddressesAreMistakesOfTheirMaking(t *testing.T) {
	env, infer := nd.DefaultEnv(), nn.Infer()
	const large, huge = 1 << 40, 1 << 62
	wide := nd.Zeros[float32]().BroadcastTo(1, large)
	for _, c := range []struct {
		maker string
		call  func()
	}{
		{"NewDense", func() { nn.NewDense(env, large, large) }},
		{"NewDense", func() { nn.NewDense(env, 0, huge) }},
		{"NewDense", func() { nn.NewDense(env, nn.Unknown, large).Forward(infer, wide) }},
		{"NewConv2D", func() { nn.NewConv2D(env, 1, 1, large) }},
		{"NewConvTranspose1D", func() { nn.NewConvTranspose1D(env, large, large, 1) }},
		{"NewEmbedding", func() { nn.NewEmbedding(env, large, large) }},
		{"NewPositionalEmbedding", func() { nn.NewPositionalEmbedding(env, large, large) }},
		{"NewLSTM", func() { nn.NewLSTM(env, 1, large) }},
		{"NewLSTM", func() { nn.NewLSTM(env, 1, huge) }},
		{"NewGRU", func() { nn.NewGRU(env, nn.Unknown, large).Forward(infer, wide.ExpandDims(0)) }},
		{"NewRNN", func() { nn.NewRNN(env, huge, 1) }},
		{"NewGRUCell", func() { nn.NewGRUCell(env, large, large) }},
		{"NewMultiHeadAttention", func() { nn.NewMultiHeadAttention(env, large, 1) }},
		{"NewMultiHeadAttention", func() { nn.NewMultiHeadAttention(env, huge, 1) }},
		{"NewBatchNorm", func() { nn.NewBatchNorm(env, huge) }},
		{"NewLayerNorm", func() { nn.NewLayerNorm(env, large, large) }},
		{"NewRMSNorm", func() { nn.NewRMSNorm(env, large, large) }},
		{"NewGroupNorm", func() { nn.NewGroupNorm(env, 1, huge) }},
	} {
		var err *nd.Error
		require.ErrorAs(t, nd.Try(c.call), &err, c.maker)
		require.Equal(t, c.maker, err.Operator)
		require.ErrorIs(t, err, fault.ErrShape)
		require.ErrorContains(t, err, "has more bytes than there are addresses")
		require.ErrorContains(t, err, "mistake_test.go")
	}
}
